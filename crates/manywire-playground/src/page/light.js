// The light: highlights one value in all lists.

const REVEAL_MS = 90;

class Light {
  constructor() {
    this.views = new Set();
    this.model = null;
    this.pinned = -1;
    this.hovered = null;
    this.marks = new Uint8Array(0);
    this.timer = 0;
  }

  setModel(model) {
    const kept = this.model && this.pinned >= 0 ? this.model.paths[this.pinned] : null;
    this.model = model;
    this.hovered = null;
    this.pinned = kept === null || !model ? -1 : model.index.get(kept) ?? -1;
    this.mark();
  }

  // The path that is lit; the first of several.
  get path() { return this.hovered ? this.hovered[0] ?? -1 : this.pinned; }

  mark() {
    const lit = this.hovered ?? (this.pinned >= 0 ? [this.pinned] : []);
    this.marks = this.model ? this.model.marks(lit) : new Uint8Array(0);
  }

  of(path) { return this.marks[path] ?? 0; }

  paint() {
    this.mark();
    for (const view of this.views) view.paintLight();
  }

  // Lights paths while the pointer or the focus is on them; null lights the pinned path again.
  hover(paths, origin) {
    const before = this.hovered;
    this.hovered = paths && paths.length > 0 ? paths : null;
    if (before === null && this.hovered === null) return;
    if (before && this.hovered && before.length === this.hovered.length && before[0] === this.hovered[0]) return;
    this.paint();
    clearTimeout(this.timer);
    if (this.hovered) this.timer = setTimeout(() => this.reveal(origin, false), REVEAL_MS);
  }

  // Lights a path until another is chosen, and shows it in all lists.
  pin(path, origin) {
    clearTimeout(this.timer);
    this.pinned = path;
    this.hovered = null;
    this.paint();
    this.reveal(origin, true);
    this.onPin?.();
  }

  reveal(origin, isPinned) {
    const { path } = this;
    if (path < 0) return;
    for (const view of this.views) if (view !== origin) view.reveal(path, isPinned);
  }
}

export const light = new Light();

// The classes of a row or a run of bytes by its mark.
export function setMark(target, mark) {
  target.classList.toggle("lit", mark === 2);
  target.classList.toggle("inside", mark === 1);
}
