// The tree of the values of a payload.

import { light, setMark } from "./light.js";
import { hasModifier, movedBy, Rows } from "./rows.js";
import { bytesText, cut, element, ROW_PX, visible } from "./text.js";

const INDENT_LEVELS_MAX = 24;

export class Tree {
  constructor(box) {
    this.box = box;
    this.model = null;
    this.visible = [];
    this.position = new Map();
    this.folded = new Set();
    this.active = -1;
    this.columns = [];
    this.rows = new Rows(box, {
      height: ROW_PX,
      make: (index) => this.make(index),
      paint: (row, index) => this.paint(row, index),
    });
    this.rows.onDraw = () => this.announce();
    box.addEventListener("pointermove", (event) => {
      const row = event.target.closest?.(".row");
      light.hover(row ? [Number(row.dataset.path)] : null, this);
    });
    box.addEventListener("pointerleave", () => light.hover(null, this));
    box.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      const path = Number(row.dataset.path);
      if (event.target.closest(".fold")) this.fold(path, !this.folded.has(path));
      this.choose(path);
    });
    box.addEventListener("dblclick", (event) => {
      const row = event.target.closest(".row");
      if (row && !event.target.closest(".fold")) this.fold(Number(row.dataset.path), !this.folded.has(Number(row.dataset.path)));
    });
    box.addEventListener("keydown", (event) => this.keyDown(event));
    box.addEventListener("focus", () => {
      if (this.visible.length > 0 && this.active < 0) this.choose(light.pinned >= 0 ? this.nearest(light.pinned) : this.visible[0]);
    });
    light.views.add(this);
  }

  setModel(model, columns) {
    const foldedPaths = this.model ? [...this.folded].map((path) => this.model.paths[path]) : [];
    const activePath = this.model && this.active >= 0 ? this.model.paths[this.active] : null;
    this.model = model;
    this.columns = columns;
    this.folded = new Set(foldedPaths.map((path) => model?.index.get(path)).filter((path) => path !== undefined));
    this.active = activePath === null ? -1 : model?.index.get(activePath) ?? -1;
    if (this.active >= 0 && !model.isShown[this.active]) this.active = -1;
    this.list();
  }

  list() {
    this.visible = [];
    this.position.clear();
    if (this.model) {
      const { model } = this;
      const stack = model.roots.filter((path) => model.isShown[path]).reverse();
      while (stack.length > 0) {
        const path = stack.pop();
        this.position.set(path, this.visible.length);
        this.visible.push(path);
        if (this.folded.has(path)) continue;
        const inner = model.children[path];
        for (let at = inner.length - 1; at >= 0; at -= 1) if (model.isShown[inner[at]]) stack.push(inner[at]);
      }
    }
    this.rows.setCount(this.visible.length);
  }

  make(index) {
    const path = this.visible[index];
    const { key, text, kind, folds } = this.model.label(path);
    const level = Math.min(this.model.depth[path], INDENT_LEVELS_MAX);
    const isFolded = this.folded.has(path);
    const name = element("span", { class: "name" },
      element("span", { class: "fold", "aria-hidden": "true" }, folds ? (isFolded ? "▸" : "▾") : ""),
      element("span", { class: "key" }, cut(visible(key))),
      kind === "" && text === undefined ? "" : ": ");
    if (text !== undefined) name.append(cut(visible(text)));
    if (kind) name.append(element("span", { class: "kind" }, text === undefined ? kind : ` ${kind}`));
    name.style.paddingLeft = `${level * 12}px`;
    const row = element("div", {
      class: "row", role: "treeitem", id: `tree-${path}`, "data-path": path, "aria-level": this.model.depth[path] + 1,
      "aria-expanded": folds ? String(!isFolded) : null, title: visible(this.model.paths[path]),
    }, name);
    for (const format of this.columns) {
      const cost = this.model.cost(format)[path];
      const label = cost === 0 ? "–" : `${bytesText(cost)}${this.model.isCut(format, path) ? "+" : ""}`;
      row.append(element("span", { class: "cost" }, label));
    }
    return row;
  }

  paint(row, index) {
    const path = this.visible[index];
    let mark = light.of(path);
    // A folded row is marked if the lit value is inside it.
    if (mark === 0 && light.path >= 0 && this.folded.has(path) && this.isInside(light.path, path)) mark = 1;
    setMark(row, mark);
    row.classList.toggle("active", path === this.active);
    row.setAttribute("aria-selected", String(path === light.pinned));
  }

  isInside(path, outer) {
    return this.model.start[path] > this.model.start[outer] && this.model.start[path] < this.model.end[outer];
  }

  paintLight() { this.rows.paint(); }

  // Returns the path if it has a row, otherwise the closest path around it that has one, otherwise
  // that of the first row, or -1 without rows.
  nearest(path) {
    let at = path;
    while (at >= 0 && !this.position.has(at)) at = this.model.parent[at];
    return at >= 0 ? at : this.visible[0] ?? -1;
  }

  reveal(path, isPinned) {
    if (!this.model?.isShown[path]) return;
    if (isPinned) {
      let isHidden = false;
      for (let at = this.model.parent[path]; at >= 0; at = this.model.parent[at]) isHidden = this.folded.delete(at) || isHidden;
      if (isHidden) this.list();
      this.active = path;
    }
    const row = this.position.get(this.nearest(path));
    if (row !== undefined) this.rows.show(row);
    this.rows.paint();
  }

  choose(path) {
    if (path < 0) return;
    this.active = path;
    this.rows.show(this.position.get(path));
    light.pin(path, this);
  }

  fold(path, isFolded) {
    if (isFolded) this.folded.add(path);
    else this.folded.delete(path);
    this.list();
  }

  keyDown(event) {
    if (hasModifier(event) || this.visible.length === 0) return;
    const path = this.active >= 0 && this.position.has(this.active) ? this.active : this.visible[0];
    const inner = this.model.shownChildren(path);
    let target = null;
    if (event.key === "ArrowRight") {
      if (inner.length === 0) target = path;
      else if (this.folded.has(path)) {
        this.fold(path, false);
        target = path;
      } else {
        [target] = inner;
      }
    } else if (event.key === "ArrowLeft") {
      if (inner.length > 0 && !this.folded.has(path)) {
        this.fold(path, true);
        target = path;
      } else {
        target = this.model.parent[path] >= 0 ? this.model.parent[path] : path;
      }
    } else if (event.key === "Enter" || event.key === " ") {
      if (inner.length > 0) this.fold(path, !this.folded.has(path));
      target = path;
    } else {
      const row = movedBy(event.key, this.position.get(path), this.rows);
      if (row !== null) target = this.visible[row];
    }
    if (target === null) return;
    event.preventDefault();
    this.choose(target);
  }

  announce() {
    const row = this.position.has(this.active) ? this.rows.row(this.position.get(this.active)) : null;
    if (row) this.box.setAttribute("aria-activedescendant", row.id);
    else this.box.removeAttribute("aria-activedescendant");
  }
}
