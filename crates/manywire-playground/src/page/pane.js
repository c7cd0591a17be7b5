// The pane of a format: its bytes as hex, its spans as rows, and an editor of the bytes.

import { light, setMark } from "./light.js";
import { hasModifier, movedBy, Rows } from "./rows.js";
import { bytesText, copy, cut, cutFront, element, formatCount, HEX, hexText, LINE_PX, parseHex, plural, ROW_PX, visible } from "./text.js";

// The maximum number of bytes that can be edited as hex.
const HEX_BYTES_MAX = 64 * 1024;

// The width of a character in the lists.
let characterPx = 0;
function characterWidth() {
  if (characterPx > 0) return characterPx;
  const probe = element("div", { class: "rows" }, element("span", {}, "0".repeat(100)));
  probe.style.position = "absolute";
  probe.style.visibility = "hidden";
  document.body.append(probe);
  characterPx = probe.firstChild.getBoundingClientRect().width / 100 || 7.2;
  probe.remove();
  return characterPx;
}

const SPAN_COLUMNS = [["offset", "at"], ["bytes", "some"], ["type", "type"], ["value", "value"], ["path", "where"]];

export class Pane {
  constructor(name, actions) {
    this.name = name;
    this.actions = actions;
    this.format = null;
    this.model = null;
    this.active = -1;
    this.hoveredSpan = -1;
    this.perLine = 16;
    this.pathLimit = 24;
    this.isEditing = false;

    this.title = element("h3", { id: `pane-${name}` });
    this.meta = element("span", { class: "meta" });
    this.schemaLink = element("button", { type: "button", class: "link", onclick: () => actions.showSchema(this.format.schema) });
    this.editButton = element("button", { type: "button", "aria-pressed": "false", onclick: () => this.setEditing(!this.isEditing) }, "Edit bytes");
    this.copyButton = element("button", { type: "button", onclick: () => copy(this.copyButton, hexText(this.format.data)) }, "Copy hex");
    this.note = element("p", { class: "rule", hidden: true });
    this.area = element("textarea", {
      "aria-label": `Bytes as hex, ${name}`, spellcheck: false, autocomplete: "off", autocapitalize: "off",
      oninput: () => this.edited(),
    });
    this.areaNote = element("p", { class: "rule", role: "status" });
    this.editor = element("div", { class: "hex-editor", hidden: true }, this.area, this.areaNote);
    this.refusal = element("p", { class: "notice fault", hidden: true });
    this.hexBox = element("div", { class: "rows hex", role: "group", tabIndex: 0 });
    this.spanBox = element("div", { class: "rows spans", role: "grid", tabIndex: 0 });
    this.spanBox.append(element("div", { class: "head", role: "row", "aria-rowindex": "1" },
      ...SPAN_COLUMNS.map(([label, kind]) => element("span", { class: kind, role: "columnheader" }, label))));
    this.detail = element("p", { class: "detail", id: `detail-${name}` });
    this.hexBox.setAttribute("aria-describedby", this.detail.id);
    this.body = element("div", { class: "pane-body" }, this.hexBox, this.spanBox);
    this.root = element("section", { class: "pane", "data-format": name, "aria-labelledby": this.title.id },
      element("div", { class: "pane-head" }, this.title, this.meta, this.schemaLink,
        element("span", { class: "actions" }, this.editButton, this.copyButton)),
      this.refusal, this.note, this.editor, this.body, this.detail);

    this.hex = new Rows(this.hexBox, {
      height: LINE_PX,
      make: (line) => this.makeLine(line),
      paint: (row) => this.paintLine(row),
    });
    this.hex.onResize = () => this.fit();
    this.spans = new Rows(this.spanBox, {
      height: ROW_PX,
      headHeight: ROW_PX,
      make: (row) => this.makeSpan(row),
      paint: (made, row) => this.paintSpan(made, row),
    });
    this.spans.onResize = () => this.fit();
    this.spans.onDraw = () => this.announce();

    this.hexView = { paintLight: () => this.hex.paint(), reveal: (path) => this.revealHex(path) };
    this.spanView = {
      paintLight: () => {
        this.spans.paint();
        this.showDetail();
      },
      reveal: (path, isPinned) => this.revealSpan(path, isPinned),
    };
    this.listen();
  }

  listen() {
    this.hexBox.addEventListener("pointermove", (event) => {
      const run = event.target.closest?.("[data-span]");
      this.hoverSpan(run ? Number(run.dataset.span) : -1, this.hexView);
    });
    this.spanBox.addEventListener("pointermove", (event) => {
      const row = event.target.closest?.(".row");
      this.hoverRow(row ? Number(row.dataset.row) : -1);
    });
    for (const [box, view] of [[this.hexBox, this.hexView], [this.spanBox, this.spanView]]) {
      box.addEventListener("pointerleave", () => this.hoverSpan(-1, view));
      box.addEventListener("focus", () => {
        if (this.active < 0 && this.spans.count > 0) {
          const pinned = light.pinned >= 0 ? this.format.rowOfPath(light.pinned) : -1;
          this.choose(pinned >= 0 ? pinned : 0, view);
        }
        if (view === this.hexView) this.detail.setAttribute("aria-live", "polite");
      });
      box.addEventListener("blur", () => this.detail.removeAttribute("aria-live"));
    }
    this.hexBox.addEventListener("click", (event) => {
      const run = event.target.closest("[data-span]");
      if (run) this.choose(this.format.rowOfSpan[Number(run.dataset.span)], this.hexView);
    });
    this.spanBox.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(Number(row.dataset.row), this.spanView);
    });
    this.spanBox.addEventListener("keydown", (event) => {
      if (hasModifier(event) || this.spans.count === 0) return;
      const row = movedBy(event.key, this.active, this.spans);
      if (row === null) return;
      event.preventDefault();
      this.choose(row, this.spanView);
    });
    this.hexBox.addEventListener("keydown", (event) => {
      if (hasModifier(event) || this.spans.count === 0) return;
      const row = this.movedInHex(event.key);
      if (row === null) return;
      event.preventDefault();
      this.choose(row, this.hexView);
    });
  }

  // The arrows to the sides go from span to span, the others from line to line.
  movedInHex(key) {
    const row = Math.max(this.active, 0);
    const last = this.spans.count - 1;
    if (key === "ArrowRight") return Math.min(row + 1, last);
    if (key === "ArrowLeft") return Math.max(row - 1, 0);
    if (key === "Home") return 0;
    if (key === "End") return last;
    const lines = { ArrowDown: 1, ArrowUp: -1, PageDown: this.hex.pageRows, PageUp: -this.hex.pageRows }[key];
    if (lines === undefined) return null;
    const span = this.format.rows[row];
    const offset = span >= 0 ? this.format.starts[span] : this.format.findings[-1 - span].offset;
    const target = this.format.spanAt(Math.max(0, Math.min(offset + lines * this.perLine, this.format.data.length - 1)));
    if (target < 0) return row;
    const found = this.format.rowOfSpan[target];
    // In a span of several lines, the cursor would stay where it is.
    return found === row ? Math.max(0, Math.min(row + Math.sign(lines), last)) : found;
  }

  hoverSpan(span, view) {
    if (span === this.hoveredSpan && span >= 0) return;
    this.hoveredSpan = span;
    light.hover(span < 0 ? null : [this.format.spans.paths[span]], view);
    this.showDetail();
  }

  hoverRow(row) {
    const span = row < 0 ? -1 : this.format.rows[row];
    if (span >= 0 || row < 0) this.hoverSpan(span, this.spanView);
    else {
      this.hoveredSpan = -1;
      light.hover([this.format.findings[-1 - span].path], this.spanView);
    }
  }

  choose(row, view) {
    this.active = row;
    this.hoveredSpan = -1;
    this.spans.show(row);
    const span = this.format.rows[row];
    const offset = span >= 0 ? this.format.starts[span] : this.format.findings[-1 - span].offset;
    this.hex.show(Math.floor(offset / this.perLine));
    light.pin(this.format.pathOfRow(row), view);
  }

  setModel(model, format) {
    const isOther = this.format === null || this.format.length !== format.length;
    this.model = model;
    this.format = format;
    this.hoveredSpan = -1;
    if (isOther || this.active >= format.rows.length) this.active = light.pinned >= 0 ? format.rowOfPath(light.pinned) : -1;
    this.title.textContent = format.title;
    this.title.title = format.format;
    const isRefused = format.refused !== null;
    this.refusal.hidden = !isRefused;
    this.body.hidden = isRefused;
    this.detail.hidden = isRefused;
    this.refusal.textContent = isRefused ? `${format.title} cannot hold this value: ${visible(format.refused.message)} (${visible(cut(format.refused.path))})` : "";
    const remarks = format.findings.length - format.faults.length;
    const parts = isRefused ? [] : [
      bytesText(format.length),
      ...(format.faults.length > 0 ? [plural(format.faults.length, "fault")] : []),
      ...(remarks > 0 ? [plural(remarks, "remark")] : []),
    ];
    this.meta.textContent = parts.join(" · ");
    const schema = format.schema && model.view.schemas.find((it) => it.name === format.schema);
    this.schemaLink.hidden = !schema;
    this.schemaLink.textContent = schema ? schema.file : "";
    this.schemaLink.setAttribute("aria-label", schema ? `Show the schema ${schema.file}` : "");
    this.note.hidden = !format.truncated;
    this.note.textContent = `The first ${bytesText(format.data.length)} and ${plural(format.count, "span")} of ${formatCount(format.span_count)} are shown.`;
    const canEdit = !isRefused && !format.truncated && format.data.length === format.length && format.length <= HEX_BYTES_MAX;
    this.editButton.disabled = !canEdit;
    this.editButton.title = canEdit ? "" : "Only payloads of at most 64 KB can be edited as bytes.";
    this.copyButton.disabled = isRefused || format.data.length === 0;
    this.copyButton.hidden = isRefused;
    this.editButton.hidden = isRefused;
    if (!canEdit && this.isEditing && !isRefused) this.setEditing(false);
    if (this.isEditing && document.activeElement !== this.area) this.fillEditor();
    this.hexBox.setAttribute("aria-label", `Bytes of ${format.title}`);
    this.spanBox.setAttribute("aria-label", `Structure of ${format.title}`);
    this.area.setAttribute("aria-label", `Bytes of ${format.title} as hex digits`);
    this.spanBox.setAttribute("aria-rowcount", String(format.rows.length + 1));
    this.fit(true);
    this.spans.setCount(format.rows.length);
    this.showDetail();
  }

  // Brings the first fault into sight.
  showFault() {
    const [fault] = this.format.faults;
    if (!fault) return;
    this.hex.show(Math.floor(fault.offset / this.perLine));
    this.spans.show(this.format.rows.findIndex((row) => row < 0 && this.format.findings[-1 - row] === fault));
  }

  lineCount() {
    const { data, faults } = this.format;
    const hasEnd = faults.some((fault) => fault.offset >= data.length) && !this.format.truncated;
    return Math.max(Math.ceil((data.length + (hasEnd ? 1 : 0)) / this.perLine), 1);
  }

  // Fits the bytes of a line, and the texts of rows, to the width.
  fit(isNew = false) {
    if (!this.format) return;
    const columns = Math.floor((this.hexBox.clientWidth - 18) / characterWidth());
    const digits = this.offsetDigits();
    const perLine = [16, 12, 8, 4].find((count) => digits + 3 + 4 * count + 2 <= columns) ?? 4;
    this.pathLimit = Math.max(Math.floor((this.spanBox.clientWidth / characterWidth() - 22) * 4 / 14), 12);
    if (perLine !== this.perLine || isNew) {
      this.perLine = perLine;
      this.hex.setCount(this.lineCount());
    }
  }

  offsetDigits() { return Math.max(String(this.format.data.length).length, 4); }

  makeLine(line) {
    const { format, perLine } = this;
    const from = line * perLine;
    const to = Math.min(from + perLine, format.data.length);
    const row = element("div", { class: "row" },
      element("span", { class: "at" }, String(from).padStart(this.offsetDigits(), " ") + "  "));
    const text = element("span", { class: "text" });
    let at = from;
    while (at < to) {
      const span = format.spanAt(at);
      let end = span < 0 ? to : Math.min(format.starts[span] + format.spans.lengths[span], to);
      const fault = format.faults.find((it) => it.offset >= at && it.offset < end);
      if (fault) end = fault.offset > at ? fault.offset : at + 1;
      const isFault = fault !== undefined && fault.offset === at;
      // The space between two bytes of a span belongs to the span, except after a fault.
      const isContinued = !isFault && span >= 0 && end < to && end < format.starts[span] + format.spans.lengths[span];
      const role = span < 0 ? "" : `r${format.spans.roles[span]}`;
      const digits = [];
      let letters = "";
      for (let byte = at; byte < end; byte += 1) {
        digits.push(HEX[format.data[byte]]);
        const code = format.data[byte];
        letters += code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
      }
      const kind = `run ${role}${isFault ? " fault" : ""}`;
      row.append(element("span", { class: kind, "data-span": span < 0 ? null : span, "data-role": role }, digits.join(" ") + (isContinued ? " " : "")));
      if (!isContinued && end < to) row.append(" ");
      text.append(element("span", { class: kind, "data-span": span < 0 ? null : span, "data-role": role }, letters));
      at = end;
    }
    const isEnd = format.faults.some((it) => it.offset >= format.data.length) && !format.truncated
      && format.data.length >= from && format.data.length < from + perLine;
    if (isEnd) row.append(to > from ? " " : "", element("span", { class: "gap fault", title: "The bytes end too early" }, "··"));
    const written = to - from + (isEnd ? 1 : 0);
    row.append(" ".repeat(Math.max(0, (perLine - written) * 3 + (written === 0 ? -1 : 0))), text);
    return row;
  }

  paintLine(row) {
    const { format } = this;
    const active = this.active >= 0 ? format.rows[this.active] : -1;
    for (const run of row.querySelectorAll("[data-span]")) {
      const span = Number(run.dataset.span);
      setMark(run, light.of(format.spans.paths[span]));
      run.classList.toggle("active", span === active);
    }
  }

  makeSpan(row) {
    const { format } = this;
    const it = format.rows[row];
    const base = { role: "row", id: `row-${this.name}-${row}`, "data-row": row, "aria-rowindex": row + 2 };
    const cell = (kind, text) => element("span", { class: kind, role: "gridcell" }, text);
    if (it < 0) {
      const finding = format.findings[-1 - it];
      return element("div", { class: `row finding ${finding.kind}`, ...base },
        cell("at", formatCount(finding.offset)),
        element("span", { class: "message", role: "gridcell" },
          `${finding.kind === "fault" ? "Fault" : "Remark"}: ${visible(cut(finding.message))}`));
    }
    const { starts, lengths, roles, paths, depths, values } = format.spans;
    const [start, length] = [starts[it], lengths[it]];
    const shown = Array.from(format.data.subarray(start, start + Math.min(length, 4)), (byte) => HEX[byte]).join(" ");
    const bytes = cell("some", `${shown}${length > 4 ? "…" : ""}`);
    bytes.classList.add(`r${roles[it]}`);
    const type = cell("type", "");
    type.append(element("span", {}, visible(cut(format.type(it)))));
    type.style.paddingLeft = `${Math.min(depths[it], 8) * 4}px`;
    type.title = `${format.role(it)}: ${visible(cut(format.type(it)))}`;
    const value = cell("value", values[it] === null || values[it] === undefined ? "" : visible(cut(values[it])));
    value.classList.add(`r${roles[it]}`);
    return element("div", { class: "row", ...base }, cell("at", formatCount(start)), bytes, type, value,
      cell("where", visible(cutFront(this.model.paths[paths[it]], this.pathLimit))));
  }

  paintSpan(made, row) {
    setMark(made, light.of(this.format.pathOfRow(row)));
    made.classList.toggle("active", row === this.active);
    made.setAttribute("aria-selected", String(row === this.active));
  }

  announce() {
    const row = this.active >= 0 ? this.spans.row(this.active) : null;
    if (row) this.spanBox.setAttribute("aria-activedescendant", row.id);
    else this.spanBox.removeAttribute("aria-activedescendant");
  }

  revealHex(path) {
    const span = this.format.first.get(path);
    if (span !== undefined) this.hex.show(Math.floor(this.format.starts[span] / this.perLine));
  }

  revealSpan(path, isPinned) {
    const row = this.format.rowOfPath(path);
    if (isPinned && this.format.pathOfRow(this.active) !== path) {
      this.active = row;
      this.hex.paint();
      this.spans.paint();
      this.showDetail();
    }
    if (row >= 0) this.spans.show(row);
  }

  // Describes the lit value in one or two lines.
  showDetail() {
    const { format, model } = this;
    if (!format || format.refused) return;
    const { path } = light;
    if (path < 0) {
      this.detail.replaceChildren(element("span", { class: "rule" }, "Point at a value, or use the arrow keys, to see it in every format."));
      return;
    }
    const name = element("b", {}, visible(cutFront(model.paths[path], 90)));
    const cost = model.cost(format)[path];
    const own = format.own(path);
    const isPart = model.isCut(format, path) ? " (of the part shown)" : "";
    if (cost === 0 && !format.first.has(path)) {
      this.detail.replaceChildren(name, format.truncated ? ` takes none of the bytes shown of ${format.title}.` : ` takes no bytes in ${format.title}.`);
      return;
    }
    let sizes = `: ${bytesText(own)}`;
    if (cost !== own) sizes = `: ${bytesText(cost)} with all inside, ${bytesText(own)} without`;
    let span = this.hoveredSpan;
    const active = this.active >= 0 ? format.rows[this.active] : -1;
    if (span < 0 && active >= 0 && format.spans.paths[active] === path) span = active;
    if (span < 0) span = this.mainSpan(path);
    const { starts, lengths, values } = format.spans;
    const value = values[span] === null || values[span] === undefined ? "" : ` ${visible(cut(values[span], 120))}`;
    const type = visible(cut(format.type(span), 80));
    const role = format.role(span);
    const where = ` · at ${formatCount(starts[span])}, ${bytesText(lengths[span])}: ${role}, ${type}${value}`;
    this.detail.replaceChildren(name, sizes + isPart + where);
  }

  // Returns the span that is described for a path: that of its value, otherwise the first.
  mainSpan(path) {
    const first = this.format.first.get(path);
    for (let span = first; span >= 0; span = this.format.next[span]) {
      const role = this.format.role(span);
      if (role === "value" || role === "fixed") return span;
    }
    return first;
  }

  setEditing(isEditing) {
    this.isEditing = isEditing;
    this.editor.hidden = !isEditing;
    this.editButton.setAttribute("aria-pressed", String(isEditing));
    this.areaNote.textContent = "";
    if (isEditing) {
      this.fillEditor();
      this.area.focus();
    }
  }

  fillEditor() {
    const text = hexText(this.format.data);
    if (this.area.value !== text) this.area.value = text;
    this.areaNote.textContent = "";
  }

  edited() {
    const { bytes, error } = parseHex(this.area.value);
    this.areaNote.textContent = error ?? (bytes.length === 0 ? "No bytes." : "");
    if (bytes && bytes.length > 0) this.actions.editBytes(this.format, bytes);
    else this.actions.cancel();
  }

  attach() {
    light.views.add(this.hexView);
    light.views.add(this.spanView);
  }

  detach() {
    light.views.delete(this.hexView);
    light.views.delete(this.spanView);
    this.root.remove();
    this.setEditing(false);
  }
}
