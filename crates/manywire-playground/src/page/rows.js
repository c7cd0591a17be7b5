// Lists that hold only the rows in sight, so that a payload of any length scrolls smoothly.

import { element } from "./text.js";

// The maximum height of a list, because browsers limit the height of elements. If the rows are
// higher in total, they move faster than the scroll position.
const LIST_HEIGHT_MAX = 8_000_000;

export class Rows {
  // `make(index)` returns the element of a row, `paint(element, index)` sets its classes.
  constructor(box, { height, make, paint, headHeight = 0 }) {
    Object.assign(this, { box, height, make, paintRow: paint, headHeight });
    this.count = 0;
    this.from = 0;
    this.to = 0;
    this.space = element("div", { class: "space", role: "none" });
    this.window = element("div", { class: "window", role: "none" });
    this.space.append(this.window);
    box.append(this.space);
    let waiting = false;
    box.addEventListener("scroll", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.draw(false);
      });
    }, { passive: true });
    new ResizeObserver(() => {
      this.onResize?.();
      this.draw(false);
    }).observe(box);
  }

  setCount(count) {
    this.count = count;
    this.space.style.height = `${this.spaceHeight()}px`;
    this.draw(true);
  }

  spaceHeight() { return Math.min(this.count * this.height, LIST_HEIGHT_MAX); }
  sight() { return Math.max(this.box.clientHeight - this.headHeight, this.height); }

  // Returns the height of the rows above the visible part, in pixels.
  hiddenAbove() {
    const full = this.count * this.height;
    if (full <= LIST_HEIGHT_MAX) return this.box.scrollTop;
    const share = this.box.scrollTop / Math.max(this.spaceHeight() - this.sight(), 1);
    return Math.min(share, 1) * (full - this.sight());
  }

  draw(isNew) {
    if (this.box.clientHeight === 0) return;
    const above = this.hiddenAbove();
    const from = Math.max(Math.floor(above / this.height) - 4, 0);
    const to = Math.min(Math.ceil((above + this.sight()) / this.height) + 4, this.count);
    const top = this.box.scrollTop - (above - from * this.height);
    if (!isNew && from === this.from && to === this.to && top === this.top) return;
    [this.from, this.to, this.top] = [from, to, top];
    this.window.style.transform = `translateY(${top}px)`;
    const made = [];
    for (let index = from; index < to; index += 1) {
      const row = this.make(index);
      this.paintRow(row, index);
      made.push(row);
    }
    this.window.replaceChildren(...made);
    this.onDraw?.();
  }

  paint() {
    [...this.window.children].forEach((row, offset) => this.paintRow(row, this.from + offset));
    this.onDraw?.();
  }

  row(index) { return this.window.children[index - this.from] ?? null; }

  // Scrolls so that a row is in sight: in the middle if it was far away.
  show(index) {
    if (index < 0 || index >= this.count) return;
    const above = this.hiddenAbove();
    const [top, bottom] = [index * this.height, (index + 1) * this.height];
    const sight = this.sight();
    if (top >= above && bottom <= above + sight) return;
    const isNear = top >= above - 2 * this.height && bottom <= above + sight + 2 * this.height;
    let wanted = isNear ? (top < above ? top : bottom - sight) : top - (sight - this.height) / 2;
    const full = this.count * this.height;
    wanted = Math.max(0, Math.min(wanted, full - sight));
    if (full > LIST_HEIGHT_MAX) wanted *= (this.spaceHeight() - sight) / (full - sight);
    this.box.scrollTop = wanted;
    this.draw(false);
  }

  get pageRows() { return Math.max(Math.floor(this.sight() / this.height) - 1, 1); }
}

// Returns the row that a key moves to; null if the key does not move.
export function movedBy(key, row, rows) {
  const last = rows.count - 1;
  switch (key) {
    case "ArrowDown": return Math.min(row + 1, last);
    case "ArrowUp": return Math.max(row - 1, 0);
    case "PageDown": return Math.min(row + rows.pageRows, last);
    case "PageUp": return Math.max(row - rows.pageRows, 0);
    case "Home": return 0;
    case "End": return last;
    default: return null;
  }
}

export const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;
