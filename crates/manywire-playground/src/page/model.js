// The model of a view: the tree of paths, and for each format the spans of a path.

import { formatCount, fromBase64 } from "./text.js";

const STEP = /\.[^.[\]#"]+|\["(?:[^"\\]|\\.)*"\]|\[[^\]]*\]|#\d+/y;

// Splits `$.a[3]` into its parent `$.a` and the last step `[3]`. The parent of a root is null.
function splitPath(path) {
  const root = /^\$[A-Za-z]*/.exec(path);
  let at = root ? root[0].length : 0;
  if (at === path.length) return { parent: null, step: path };
  let last = at;
  while (at < path.length) {
    last = at;
    STEP.lastIndex = at;
    const step = STEP.exec(path);
    if (step === null) break;
    at = STEP.lastIndex;
  }
  return { parent: path.slice(0, last), step: path.slice(last) };
}

// Returns the label of a step for people: `name`, `3`.
function stepLabel(step) {
  if (step.startsWith(".")) return step.slice(1);
  if (step.startsWith("[\"")) {
    try {
      return JSON.parse(step.slice(1, -1));
    } catch {
      return step.slice(1, -1);
    }
  }
  if (step.startsWith("[")) return step.slice(1, -1);
  return step;
}

// A path with `*` for every index, as in the lists of the largest paths.
export const patternOf = (path) => path.replace(/\[\d+\]/g, "[*]").replace(/#\d+/g, "#*");

// A format of a view, with the spans that belong to each path.
class Format {
  constructor(answer, roles, types) {
    Object.assign(this, answer);
    this.data = fromBase64(answer.bytes ?? "");
    this.roleNames = roles;
    this.typeNames = types;
    const { starts, lengths, paths } = this.spans;
    this.starts = starts;
    this.count = starts.length;
    // Spans of a path form a list: `first` by path, `next` by span.
    this.first = new Map();
    this.next = new Int32Array(this.count).fill(-1);
    const last = new Map();
    for (let span = 0; span < this.count; span += 1) {
      const path = paths[span];
      const before = last.get(path);
      if (before === undefined) this.first.set(path, span);
      else this.next[before] = span;
      last.set(path, span);
    }
    // A row is the index of a span, or -1 minus the index of a finding. A finding comes in front of
    // the span that contains its offset, or of the unread bytes; findings behind all spans come last.
    this.rows = [];
    this.rowOfSpan = new Int32Array(this.count);
    const findings = answer.findings.map((finding, index) => ({ offset: finding.offset, index }));
    findings.sort((left, right) => left.offset - right.offset);
    let waiting = 0;
    for (let span = 0; span < this.count; span += 1) {
      const end = starts[span] + lengths[span];
      const isUnread = roles[this.spans.roles[span]] === "unread";
      while (waiting < findings.length && (findings[waiting].offset < end || isUnread)) {
        this.rows.push(-1 - findings[waiting].index);
        waiting += 1;
      }
      this.rowOfSpan[span] = this.rows.length;
      this.rows.push(span);
    }
    for (; waiting < findings.length; waiting += 1) this.rows.push(-1 - findings[waiting].index);
    this.faults = answer.findings.filter((finding) => finding.kind === "fault");
  }

  // Returns the span that covers an offset; -1 if no span does.
  spanAt(offset) {
    let [low, high] = [0, this.count - 1];
    let found = -1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= offset) {
        found = middle;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    // Spans without bytes share the start of the span after them, and come before it.
    if (found < 0 || offset >= this.starts[found] + this.spans.lengths[found]) return -1;
    return found;
  }

  pathOfRow(row) {
    const it = this.rows[row];
    return it === undefined ? -1 : it >= 0 ? this.spans.paths[it] : this.findings[-1 - it].path;
  }

  // The first row of a path; -1 if the format has no such path.
  rowOfPath(path) {
    const span = this.first.get(path);
    return span === undefined ? -1 : this.rowOfSpan[span];
  }

  // Returns the number of bytes of the spans of a path, without those of the paths inside it.
  own(path) {
    let sum = 0;
    for (let span = this.first.get(path) ?? -1; span >= 0; span = this.next[span]) sum += this.spans.lengths[span];
    return sum;
  }

  type(span) { return this.typeNames[this.spans.types[span]] ?? ""; }
  role(span) { return this.roleNames[this.spans.roles[span]] ?? ""; }
}

// A view with the tree of its paths.
export class Model {
  constructor(view) {
    this.view = view;
    this.formats = view.formats.map((answer) => new Format(answer, view.roles, view.types));
    this.byName = new Map(this.formats.map((format) => [format.format, format]));
    this.paths = [...view.paths];
    this.index = new Map(this.paths.map((path, index) => [path, index]));
    this.buildTree();
    this.costs = new Map();
  }

  // Returns the format that the tree takes its values from: the input if it is not cut or is the
  // only format with spans, otherwise the format with the most values; null if no format has spans.
  treeSource() {
    const whole = this.formats.filter((format) => format.refused === null && format.count > 0);
    const input = whole.find((format) => format.is_input);
    if (input && (!input.truncated || whole.length === 1)) return input;
    const values = (format) => {
      let count = 0;
      for (let span = 0; span < format.count; span += 1) {
        const role = format.role(span);
        if (role === "value" || role === "fixed") count += 1;
      }
      return count;
    };
    let [best, most] = [null, -1];
    for (const format of whole) {
      const count = values(format);
      if (count > most) [best, most] = [format, count];
    }
    return best;
  }

  buildTree() {
    this.parent = [];
    this.step = [];
    this.children = [];
    this.texts = new Map();
    this.types = new Map();
    this.roots = [];
    // Ancestors that no span names get paths after those of the view.
    for (let path = 0; path < this.paths.length; path += 1) {
      const { parent, step } = splitPath(this.paths[path]);
      this.step[path] = step;
      this.parent[path] = -1;
      if (parent === null) continue;
      let known = this.index.get(parent);
      if (known === undefined) {
        known = this.paths.length;
        this.paths.push(parent);
        this.index.set(parent, known);
      }
      this.parent[path] = known;
    }
    const total = this.paths.length;
    for (let path = 0; path < total; path += 1) this.children.push([]);
    const placed = new Uint8Array(total);
    const place = (path) => {
      const chain = [];
      for (let at = path; at >= 0 && !placed[at]; at = this.parent[at]) {
        placed[at] = 1;
        chain.push(at);
      }
      for (const at of chain.reverse()) (this.parent[at] < 0 ? this.roots : this.children[this.parent[at]]).push(at);
    };
    this.source = this.treeSource();
    // Paths of other formats, such as the header of an Avro file, are not part of the value: they
    // have a place after those that are shown.
    const { source } = this;
    if (source) {
      const { paths, values } = source.spans;
      for (let span = 0; span < source.count; span += 1) {
        const role = source.role(span);
        if (role === "unread") continue;
        place(paths[span]);
        if (role === "key" || role === "separator") continue;
        if ((role === "value" || role === "fixed") && values[span] !== null) {
          if (!this.texts.has(paths[span])) this.texts.set(paths[span], values[span]);
        }
        if (!this.types.has(paths[span])) this.types.set(paths[span], source.type(span));
      }
    }
    this.isShown = placed.slice();
    for (let path = 0; path < total; path += 1) place(path);
    // The paths of a subtree are neighbours in this order: from `start` to `end`.
    this.order = [];
    this.start = new Int32Array(total);
    this.end = new Int32Array(total);
    this.depth = new Int32Array(total);
    const stack = [...this.roots].reverse();
    while (stack.length > 0) {
      const path = stack.pop();
      this.depth[path] = this.parent[path] < 0 ? 0 : this.depth[this.parent[path]] + 1;
      this.start[path] = this.order.length;
      this.order.push(path);
      const inner = this.children[path];
      for (let at = inner.length - 1; at >= 0; at -= 1) stack.push(inner[at]);
    }
    for (let at = this.order.length - 1; at >= 0; at -= 1) {
      const path = this.order[at];
      this.end[path] = Math.max(this.end[path], at + 1);
      const up = this.parent[path];
      if (up >= 0) this.end[up] = Math.max(this.end[up], this.end[path]);
    }
    this.shownChildren = (path) => this.children[path].filter((child) => this.isShown[child]);
  }

  // Returns the number of bytes of every path in a format, with those of the paths inside it.
  cost(format) {
    let costs = this.costs.get(format.format);
    if (costs) return costs;
    costs = new Float64Array(this.paths.length);
    const { paths, lengths } = format.spans;
    for (let span = 0; span < format.count; span += 1) costs[paths[span]] += lengths[span];
    for (let at = this.order.length - 1; at >= 0; at -= 1) {
      const path = this.order[at];
      if (this.parent[path] >= 0) costs[this.parent[path]] += costs[path];
    }
    this.costs.set(format.format, costs);
    return costs;
  }

  // Returns true if the spans of a format were cut inside a path, so that bytes of the path may be
  // missing.
  isCut(format, path) {
    if (!format.truncated || format.count === 0) return false;
    const last = format.spans.paths[format.count - 1];
    return this.start[last] >= this.start[path] && this.start[last] < this.end[path];
  }

  // Returns a mark for every path: 2 for the lit ones, 1 for those inside them.
  marks(lit) {
    const marks = new Uint8Array(this.paths.length);
    for (const path of lit) {
      // Everything is inside a root, so marks inside a root would say nothing.
      if (this.parent[path] >= 0) {
        for (let at = this.start[path] + 1; at < this.end[path]; at += 1) marks[this.order[at]] ||= 1;
      }
    }
    for (const path of lit) marks[path] = 2;
    return marks;
  }

  // The label of a path in the tree: its name, and its value or kind.
  label(path) {
    const shown = this.shownChildren(path);
    const text = this.texts.get(path);
    let kind = null;
    if (text === undefined || shown.length > 0) {
      if (shown.length > 0) {
        const isList = shown.every((child) => /^\[\d/.test(this.step[child]) || this.step[child].startsWith("#"));
        const more = this.isCut(this.source, path) ? "+" : "";
        kind = isList ? `[${formatCount(shown.length)}${more}]` : `{${formatCount(shown.length)}${more}}`;
      } else {
        kind = this.types.get(path) ?? "";
      }
    }
    return { key: this.parent[path] < 0 ? this.paths[path] : stepLabel(this.step[path]), text, kind, folds: shown.length > 0 };
  }
}
