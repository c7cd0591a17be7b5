// Elements, texts and bytes: counts, hex, base64, JSON with indents, and the sizes that lists share.

const TEXT_CHARACTERS_MAX = 300;
export const ROW_PX = 22;
export const LINE_PX = 18;
export const PARTS = ["keys", "structure", "values", "unread"];

export const find = (id) => document.getElementById(id);
export const formatCount = new Intl.NumberFormat("en-US").format;
export const bytesText = (count) => `${formatCount(count)} B`;

// Returns an element with properties, attributes (`aria-…`, `role`, `data-…`) and children.
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name === "class") made.className = value;
    else if (name.includes("-") || name === "role" || name === "scope" || name === "for") made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Returns a text with control characters, and marks that reorder text, as their code points: a key of
// a payload cannot disguise itself.
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (it) => `U+${it.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
}

export function cut(text, limit = TEXT_CHARACTERS_MAX) {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

// Returns the end of a path, which tells more than its beginning.
export function cutFront(text, limit) {
  return text.length > limit ? `…${text.slice(text.length - Math.max(limit - 1, 1))}` : text;
}

export function shareText(part, whole) {
  if (whole === 0) return "–";
  const percent = 100 * part / whole;
  if (percent > 0 && percent < 1) return "<1 %";
  return `${formatCount(Math.round(percent))} %`;
}

// Joins names: `A, B and C`.
export function listText(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

export function plural(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function toBase64(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(""));
}

export function fromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hexText(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    lines.push(Array.from(bytes.subarray(at, at + 16), (byte) => HEX[byte]).join(" "));
  }
  return lines.join("\n");
}

// Parses hex digits; white space does not count. Returns the bytes, or the reason why there are none.
export function parseHex(text) {
  const digits = text.replace(/\s+/g, "");
  const wrong = /[^0-9a-fA-F]/.exec(digits);
  if (wrong) return { error: `“${visible(wrong[0])}” is not a hex digit.` };
  if (digits.length % 2 === 1) return { error: "The last byte has one digit." };
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return { bytes };
}

// Decodes UTF-8; returns null for invalid bytes.
export function decodeText(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

// Indents valid JSON by two spaces. Numbers and strings stay as they are written.
export function indentJson(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  const out = [];
  let depth = 0;
  const breakLine = () => out.push("\n", "  ".repeat(depth));
  tokens.forEach((token, at) => {
    const opens = token === "[" || token === "{";
    if (token === "]" || token === "}") {
      depth -= 1;
      if (tokens[at - 1] !== "[" && tokens[at - 1] !== "{") breakLine();
    }
    out.push(token);
    if (opens) depth += 1;
    if ((opens && tokens[at + 1] !== "]" && tokens[at + 1] !== "}") || token === ",") breakLine();
    if (token === ":") out.push(" ");
  });
  return `${out.join("")}\n`;
}

// Copies a text, and says so on the button.
export async function copy(button, text) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    said = "Not allowed";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = label; }, 1500);
}
