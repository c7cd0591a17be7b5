// The table of formats.

import { bytesText, cut, element, formatCount, listText, PARTS, plural, shareText, visible } from "./text.js";

// A bar of keys, structure and values, in shares of `whole` bytes.
export function stackBar(parts, whole) {
  const total = PARTS.reduce((sum, part) => sum + (parts[part] ?? 0), 0);
  const words = PARTS.filter((part) => (parts[part] ?? 0) > 0)
    .map((part) => `${part} ${bytesText(parts[part])} (${shareText(parts[part], total)})`);
  const label = words.join(", ") || "no bytes";
  const bar = element("div", { class: "stack", role: "img", "aria-label": label, title: label });
  for (const part of PARTS) {
    if (!parts[part]) continue;
    const piece = element("i", { class: `part ${part}` });
    piece.style.flex = `${parts[part]} 1 0`;
    bar.append(piece);
  }
  bar.style.width = whole > 0 ? `${Math.max(100 * total / whole, 0.5)}%` : "0";
  return bar;
}

export class FormatRow {
  constructor(name, actions) {
    this.check = element("input", { type: "checkbox", onchange: () => actions.toggle(name) });
    this.title = element("span");
    this.chip = element("span", { class: "chip", hidden: true }, "input");
    this.under = element("span", { class: "narrow" });
    this.head = element("th", { scope: "row" }, element("label", {}, this.check, this.title, this.chip), this.under);
    this.root = element("tr", { "data-format": name }, this.head);
    this.losses = actions.showLosses;
    this.root.addEventListener("click", (event) => {
      if (event.target.closest("label, button")) return;
      actions.toggle(name);
    });
  }

  update(title, format, isShown, largest, json) {
    this.title.textContent = title;
    this.check.checked = isShown;
    this.check.disabled = !format;
    this.chip.hidden = !format?.is_input;
    this.root.classList.toggle("shown", isShown);
    this.under.textContent = "";
    const cell = (kind, ...content) => element("td", { class: kind }, ...content);
    if (!format) {
      this.root.replaceChildren(this.head, cell("number absent", "–"), cell("number absent", "–"), cell("stretch"), cell("number wide absent", "–"), cell("wide"));
      return;
    }
    if (format.refused) {
      const refusal = element("td", { class: "refusal absent", colSpan: 5 },
        `cannot hold ${visible(cut(format.refused.path, 60))}: ${visible(cut(format.refused.message))}`);
      this.root.replaceChildren(this.head, refusal);
      return;
    }
    const ratio = json && json.refused === null && !json.faults.length ? shareText(format.length, json.length) : "–";
    const gzip = format.gzip === null ? "–" : bytesText(format.gzip);
    const lossCount = format.losses.length + format.losses_unlisted;
    let fidelity = element("span", {}, "exact");
    if (format.faults.length > 0) fidelity = element("span", {}, plural(format.faults.length, "fault"));
    else if (lossCount > 0) {
      fidelity = element("button", { type: "button", onclick: () => this.losses() }, lossCount === 1 ? "1 loss" : `${formatCount(lossCount)} losses`);
    }
    this.under.textContent = lossCount > 0 ? (lossCount === 1 ? "1 loss" : `${formatCount(lossCount)} losses`) : "";
    this.root.replaceChildren(this.head,
      cell("number", bytesText(format.length), element("span", { class: "narrow" }, format.gzip === null ? "" : `gzip ${gzip}`)),
      cell("number", ratio),
      cell("stretch", stackBar(format, largest)),
      cell("number wide", gzip),
      cell("wide", fidelity));
  }
}

// Returns the answer in words: the smallest format, and the parts of its bytes and of those of JSON.
export function answerSentence(model) {
  const whole = model.formats.filter((format) => format.refused === null && format.faults.length === 0);
  const json = model.byName.get("json");
  if (whole.length === 0) return "";
  const smallest = (size) => {
    const least = Math.min(...whole.map(size));
    return whole.filter((format) => size(format) === least);
  };
  const names = (formats) => listText(formats.map((format) => format.title));
  const verb = (formats) => (formats.length > 1 ? "are" : "is");
  const best = smallest((format) => format.length);
  const spends = (format) => {
    const parts = ["keys", "structure", "values"].map((part) => `${shareText(format[part], format.length)} ${part}`);
    return listText(parts);
  };
  const loss = best.some((format) => format.losses.length > 0) ? ", with losses" : "";
  const against = json && json.refused === null && !best.includes(json)
    ? `, ${shareText(best[0].length, json.length)} of ${json.title}’s ${bytesText(json.length)}` : "";
  let text = `${names(best)} ${verb(best)} smallest: ${bytesText(best[0].length)}${against}${loss}.`;
  const zipped = whole.every((format) => format.gzip !== null) ? smallest((format) => format.gzip) : [];
  if (zipped.length > 0) {
    const isSame = names(zipped) === names(best);
    text += ` After gzip, ${isSame ? "too" : `${names(zipped)} ${verb(zipped)}`}: ${bytesText(zipped[0].gzip)}.`;
  }
  if (json && json.refused === null && json.length > 0) {
    text += ` ${json.title} is ${spends(json)}`;
    text += best.includes(json) || best[0].length === 0 ? "." : `; ${best[0].title} is ${spends(best[0])}.`;
  }
  // Keeps a number and its unit on one line.
  return text.replace(/(?<=[\d]) (?=%|B\b)/g, "\u00a0");
}
