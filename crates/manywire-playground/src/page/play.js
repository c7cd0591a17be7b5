// The script of `manywire play`: gives a payload to the engine, and shows its bytes in every format.
//
// The engine answers a request (a payload and how to read it) with a view: for each format its
// bytes, cut into spans, each with a role, a path, a type and a value. All formats name paths by the
// same index, so that one value can light up in the tree and in every format at once.
//
// Texts of a payload reach the document as text nodes only. Lists have rows of one height, and only
// the rows in sight are elements. Nothing is stored, and only the engine makes requests.

import * as engine from "./engine.js";
import { answerSentence, FormatRow, stackBar } from "./formats.js";
import { light } from "./light.js";
import { Model, patternOf } from "./model.js";
import { Pane } from "./pane.js";
import { hasModifier } from "./rows.js";
import { bytesText, copy, cut, cutFront, decodeText, element, find, formatCount, fromBase64, indentJson, LINE_PX, listText, PARTS, plural, shareText, toBase64, visible } from "./text.js";
import { Tree } from "./tree.js";

const DEBOUNCE_MS = 250;
const STALE_MS = 400;
const FRAGMENT_MS = 400;
// The largest payload, with its schema, that a link carries.
const FRAGMENT_BYTES_MAX = 16 * 1024;
// The longest text that the box shows: browsers lay out longer ones too slowly to type in.
const BOX_CHARACTERS_MAX = 200_000;
const PROGRESS_LINES_MAX = 200;
const LARGEST_SHOWN = 12;
const NARROW_PX = 700;
const ROLE_SAMPLES = ["head", "length", "key", "value", "fixed", "separator", "unread"];
// The formats whose bytes do not name their fields.
const NEEDS_SCHEMA = ["msgpack-array", "protobuf", "avro"];
const EXAMPLE = `{
  "id": 4711,
  "placed": "2026-11-24T09:30:00Z",
  "customer": {"name": "Ada Lovelace", "email": "ada@example.com", "member": true},
  "items": [
    {"sku": "KB-104", "title": "Keyboard", "count": 1, "price": 89.9},
    {"sku": "CB-012", "title": "USB-C cable", "count": 3, "price": 7.5},
    {"sku": "ST-330", "title": "Laptop stand", "count": 2, "price": 34.25}
  ],
  "note": "Leave it at the door – thank you"
}
`;

const tree = new Tree(find("tree"));
const panes = new Map();
const formatRows = new Map();
const state = {
  request: emptyRequest(),
  // The source of the request: "box", "file", "hex" or "link". Text from the box is not written to
  // the box.
  origin: "box",
  // True if the text of the box was made from bytes.
  isDerived: false,
  // The text of the payload, if it is too long for the box.
  held: null,
  name: null,
  view: null,
  model: null,
  // The names of the formats that are shown, in the order in which they were chosen.
  selected: [],
  isChosen: false,
  // Formats and their titles of the last view without a fault.
  known: [],
  schemaTab: null,
  bytesMax: 16 * 1024 * 1024,
  // The forms that a payload can be read in, with their titles.
  forms: [],
  isNewPayload: true,
  wantedPath: null,
};

function emptyRequest() {
  return { text: null, bytes: null, form: null, schema: null, message: null };
}

const isEmpty = (request) => request.bytes === null && (request.text === null || request.text.trim() === "");

// --- Requests and views

let sequence = 0;
let sending = null;
let requestTimer = 0;

function cancelRequest() {
  clearTimeout(requestTimer);
  sequence += 1;
  sending?.abort();
  sending = null;
  setBusy(false);
}

function requestView(delay) {
  cancelRequest();
  if (isEmpty(state.request)) {
    showNothing();
    return;
  }
  requestTimer = setTimeout(() => send(sequence), delay);
}

let busyTimer = 0;

// Fades the view if the engine takes longer than STALE_MS.
function setBusy(isBusy) {
  clearTimeout(busyTimer);
  const main = find("main");
  main.setAttribute("aria-busy", String(isBusy));
  if (isBusy) busyTimer = setTimeout(() => main.classList.add("stale"), STALE_MS);
  else main.classList.remove("stale");
}

async function send(number) {
  sending = new AbortController();
  setBusy(true);
  try {
    const view = await engine.view(state.request, sending.signal);
    if (number !== sequence) return;
    setBusy(false);
    showView(view);
  } catch (error) {
    if (number !== sequence || error.name === "AbortError") return;
    setBusy(false);
    showProblem(error.message);
  }
}

// Replaces parts of the request, and sends it.
function change(parts, origin, { delay = 0, isNew = false } = {}) {
  Object.assign(state.request, parts);
  state.origin = origin;
  if (isNew) {
    state.isNewPayload = true;
    light.pinned = -1;
  }
  noteWeighing();
  const size = payloadSize(state.request);
  if (size > state.bytesMax) {
    cancelRequest();
    showProblem(`The payload has ${bytesText(size)}; at most ${bytesText(state.bytesMax)} can be read.`);
    return;
  }
  requestView(delay);
}

function payloadSize({ text, bytes }) {
  if (bytes !== null) return Math.floor(bytes.length * 3 / 4);
  if (text === null) return 0;
  // Both ways count the bytes of the text in UTF-8.
  return text.length > 4 * 1024 * 1024 ? new Blob([text]).size : new TextEncoder().encode(text).length;
}

// --- Showing a view

function showNothing() {
  state.view = null;
  state.model = null;
  find("status").textContent = "";
  find("failure").hidden = true;
  setNote(boxNote());
  setFault(null);
  light.setModel(null);
  find("sentence").textContent = "Paste or type a payload to see its size in each format.";
  showFormats();
  showPanes();
  showAnswers();
  showSchemas();
  fillForms();
  find("indent").disabled = true;
  find("go-weigh").disabled = true;
  find("weigh").disabled = true;
  fragmentLater();
}

function showProblem(message) {
  const box = find("failure");
  box.textContent = message;
  box.hidden = false;
}

function showView(view) {
  state.view = view;
  const model = new Model(view);
  state.model = model;
  light.setModel(model);
  if (state.wantedPath !== null) {
    light.pinned = model.index.get(state.wantedPath) ?? -1;
    light.mark();
    state.wantedPath = null;
  }
  if (!view.failure) state.known = view.formats.map(({ format, title }) => ({ format, title }));
  if (state.isNewPayload && !view.failure) {
    if (!state.isChosen) chooseFormats();
    state.isNewPayload = false;
  }
  fillBox();
  fillForms();
  showFailure();
  const { input } = view;
  const from = input.read_as === "hex" || input.read_as === "base64" ? ` from ${input.read_as}` : "";
  const values = input.values > 1 ? `, ${plural(input.values, "value")}` : "";
  find("status").textContent = `${input.title}${from}: ${bytesText(input.length)}${values}`;
  find("sentence").textContent = view.failure === null ? answerSentence(model)
    : "The payload has a fault. The bytes before it are shown below.";
  showFormats();
  showPanes();
  showAnswers();
  showSchemas();
  const isEditable = view.json && !view.json.truncated && view.json.text.length <= BOX_CHARACTERS_MAX / 4;
  find("indent").disabled = !isEditable || input.values !== 1;
  find("go-weigh").disabled = view.failure !== null;
  if (!weighing) find("weigh").disabled = view.failure !== null;
  if (light.pinned >= 0) light.reveal(null, true);
  fragmentLater();
}

// Chooses the formats to show first: the input and the smallest other format, or on a narrow page
// only the smaller of both.
function chooseFormats() {
  const { model } = state;
  const whole = model.formats.filter((format) => format.refused === null);
  const input = whole.find((format) => format.is_input) ?? whole[0];
  const others = whole.filter((format) => format !== input).sort((left, right) => left.length - right.length);
  const [smallest] = others;
  const isNarrow = window.innerWidth < NARROW_PX;
  const chosen = isNarrow ? [smallest && smallest.length < (input?.length ?? 0) ? smallest : input] : [input, smallest];
  state.selected = chosen.filter(Boolean).map((format) => format.format);
}

function showFailure() {
  const { failure } = state.view;
  const box = find("failure");
  box.hidden = failure === null;
  if (failure === null) {
    setFault(null);
    return;
  }
  const hasText = failure.line !== null && !state.isDerived;
  let where = "";
  if (hasText) where = `Line ${formatCount(failure.line)}, column ${formatCount(failure.column ?? 1)}: `;
  else if (failure.offset !== null) where = `Byte ${formatCount(failure.offset)}: `;
  const path = failure.path && failure.path !== "$" ? ` (${visible(cutFront(failure.path, 80))})` : "";
  box.textContent = `${where}${visible(cut(failure.message, 600))}${path}`;
  setFault(hasText ? failure : null);
  const { input } = state.view;
  if (NEEDS_SCHEMA.includes(input.format) && state.request.schema === null) find("schema-box").open = true;
  if (hasText && state.origin !== "box") {
    find("text").scrollTop = Math.max(0, (failure.line - 4) * LINE_PX);
  }
}

function showFormats() {
  const { view, model } = state;
  const listed = view ? view.formats.map(({ format, title }) => ({ format, title })) : [];
  // A fault leaves one format; the others stay listed, so that the table keeps its height.
  const rows = state.known.length > 0 && (view === null || view.failure) ? mergeFormats(state.known, listed) : listed;
  const sized = model ? model.formats.filter((format) => format.refused === null) : [];
  const largest = Math.max(0, ...sized.map((format) => format.length));
  const json = model?.byName.get("json");
  const shown = shownFormats();
  const body = find("formats").tBodies[0];
  for (const { format, title } of rows) {
    if (!formatRows.has(format)) formatRows.set(format, new FormatRow(format, { toggle, showLosses }));
    formatRows.get(format).update(title, model?.byName.get(format) ?? null, shown.includes(format), largest, json);
  }
  const wanted = rows.map(({ format }) => formatRows.get(format).root);
  if (wanted.length !== body.rows.length || wanted.some((row, index) => body.rows[index] !== row)) body.replaceChildren(...wanted);
}

function mergeFormats(known, listed) {
  const names = new Set(known.map((it) => it.format));
  return [...known, ...listed.filter((it) => !names.has(it.format))];
}

// The formats that have a pane: the selected ones that the view has, in the order of the table.
function shownFormats() {
  if (!state.model) return [];
  const order = state.model.formats.map((format) => format.format);
  const shown = order.filter((name) => state.selected.includes(name));
  return shown.length > 0 ? shown : order.slice(0, 1);
}

function toggle(name) {
  if (!state.model?.byName.has(name)) {
    showFormats();
    return;
  }
  const shown = shownFormats();
  let chosen = state.selected.filter((it) => shown.includes(it));
  for (const it of shown) if (!chosen.includes(it)) chosen.push(it);
  if (chosen.includes(name)) {
    // One format is always shown.
    if (chosen.length > 1) chosen = chosen.filter((it) => it !== name);
  } else {
    chosen = [...chosen, name].slice(-2);
  }
  state.selected = chosen;
  state.isChosen = true;
  showFormats();
  showPanes();
  showAnswers();
  fragmentLater();
}

const paneActions = {
  showSchema: (name) => {
    state.schemaTab = name;
    showSchemas();
    goTo("schemas-title");
  },
  editBytes: (format, bytes) => editBytes(format, bytes),
  cancel: () => cancelRequest(),
};

function showPanes() {
  const { model } = state;
  const shown = shownFormats();
  for (const [name, pane] of panes) {
    if (!shown.includes(name)) {
      pane.detach();
      panes.delete(name);
    }
  }
  const box = find("panes");
  shown.forEach((name, index) => {
    if (!panes.has(name)) {
      const pane = new Pane(name, paneActions);
      pane.attach();
      panes.set(name, pane);
    }
    const { root } = panes.get(name);
    if (box.children[index] !== root) box.insertBefore(root, box.children[index] ?? null);
  });
  box.classList.toggle("single", shown.length === 1);
  const columns = shown.map((name) => model.byName.get(name));
  for (const format of columns) {
    const pane = panes.get(format.format);
    pane.setModel(model, format);
    if (state.view.failure && document.activeElement !== pane.hexBox && document.activeElement !== pane.spanBox) pane.showFault();
  }
  const counted = columns.filter((format) => format.refused === null);
  find("tree-head").replaceChildren(...counted.map((format) => element("span", { title: `${format.title}: bytes of each value, with all inside it` }, format.title.replace(/ \(.*\)$/, ""))));
  tree.setModel(model, counted);
  tree.box.hidden = false;
}

// --- The largest paths, and losses

function showAnswers() {
  const { model } = state;
  const columns = shownFormats().map((name) => model.byName.get(name)).filter((format) => format.largest.length > 0);
  const parts = columns.map((format) => {
    const most = Math.max(...format.largest.map((entry) => entry.bytes));
    const body = element("tbody");
    for (const [at, entry] of format.largest.entries()) {
      const button = element("button", { type: "button", title: visible(entry.path) }, visible(cutFront(entry.path, window.innerWidth < NARROW_PX ? 26 : 44)));
      const row = element("tr", {},
        element("td", {}, button),
        element("td", { class: "number" }, bytesText(entry.bytes)),
        element("td", { class: "number" }, shareText(entry.bytes, format.length)),
        element("td", { class: "wide" }, stackBar(entry, most)),
        element("td", { class: "number wide" }, entry.times > 0 ? `${formatCount(entry.times)}×` : ""));
      row.hidden = at >= LARGEST_SHOWN;
      lightOn(row, button, () => pathsOf(entry.path));
      body.append(row);
    }
    const more = element("button", {
      type: "button", hidden: format.largest.length <= LARGEST_SHOWN,
      onclick: () => {
        for (const row of body.rows) row.hidden = false;
        more.remove();
      },
    }, `Show all ${format.largest.length}`);
    const head = element("thead", {}, element("tr", {},
      element("th", { scope: "col" }, "path"),
      element("th", { scope: "col", class: "number bytes" }, "bytes"),
      element("th", { scope: "col", class: "number times" }, "share"),
      element("th", { scope: "col", class: "share wide" }, "keys, structure, values"),
      element("th", { scope: "col", class: "number times wide" }, "places")));
    return element("div", {}, element("h3", {}, format.title), element("table", {}, head, body), more);
  });
  find("largest").replaceChildren(...(parts.length > 0 ? parts : [element("p", { class: "rule" }, "No bytes yet.")]));
  showLossList();
}

function showLossList() {
  const { model, view } = state;
  const body = element("tbody");
  const line = (title, path, text, places) => {
    const button = element("button", { type: "button", title: visible(path) }, visible(cutFront(path, 44)));
    const row = element("tr", {},
      element("td", { class: "wrap" }, title), element("td", {}, button),
      element("td", { class: "wrap" }, visible(cut(text))), element("td", { class: "number" }, places));
    lightOn(row, button, () => pathsOf(path));
    body.append(row);
  };
  const exact = [];
  for (const format of model?.formats ?? []) {
    if (format.refused) line(format.title, format.refused.path, `cannot be held: ${format.refused.message}`, "");
    for (const loss of format.losses) line(format.title, loss.path, loss.lost, formatCount(loss.places));
    if (format.losses_unlisted > 0) {
      body.append(element("tr", {}, element("td", {}, format.title), element("td", { colSpan: 3 }, `and ${formatCount(format.losses_unlisted)} more`)));
    }
    if (!format.refused && format.losses.length === 0) exact.push(format.title);
  }
  const box = find("losses");
  if (!model || view.failure) {
    box.replaceChildren(element("p", { class: "rule" }, model ? "The input has a fault." : "Nothing yet."));
    return;
  }
  if (body.rows.length === 0) {
    box.replaceChildren(element("p", {}, "No losses: every format holds this value exactly."));
    return;
  }
  const head = element("thead", {}, element("tr", {},
    element("th", { scope: "col", class: "title" }, "format"), element("th", { scope: "col", class: "share" }, "path"),
    element("th", { scope: "col" }, "what is lost"), element("th", { scope: "col", class: "number times" }, "places")));
  box.replaceChildren(element("table", {}, head, body),
    element("p", { class: "rule" }, exact.length > 0 ? `Exact: ${listText(exact)}.` : ""));
}

// The indexes of the paths that a path, or a path with `*`, names.
function pathsOf(path) {
  const { model } = state;
  if (!model) return [];
  const exact = model.index.get(path);
  if (exact !== undefined) return [exact];
  const found = [];
  model.paths.forEach((it, index) => { if (patternOf(it) === path) found.push(index); });
  return found;
}

// Lights paths while the pointer or the focus is on a row of a table; a click pins the first.
function lightOn(row, button, paths) {
  row.addEventListener("pointerenter", () => light.hover(paths(), null));
  row.addEventListener("pointerleave", () => light.hover(null, null));
  button.addEventListener("focus", () => light.hover(paths(), null));
  button.addEventListener("blur", () => light.hover(null, null));
  button.addEventListener("click", () => {
    const [first] = paths();
    if (first !== undefined) light.pin(first, null);
    find("tree").scrollIntoView({ block: "nearest" });
  });
}

function showLosses() { goTo("losses-title"); }

function goTo(id) {
  find(id).scrollIntoView({ block: "start" });
  find(id).focus({ preventScroll: true });
}

// --- Schemas and types

function showSchemas() {
  const schemas = state.view?.schemas ?? [];
  const tabs = find("schema-tabs");
  const panel = find("schema-panel");
  if (schemas.length === 0) {
    tabs.replaceChildren();
    tabs.hidden = true;
    panel.removeAttribute("aria-labelledby");
    panel.setAttribute("aria-label", "Schema");
    panel.replaceChildren(element("p", { class: "rule" }, "No value yet."));
    return;
  }
  tabs.hidden = false;
  const chosen = schemas.find((schema) => schema.name === state.schemaTab) ?? schemas[0];
  const names = schemas.map((schema) => schema.name);
  const before = [...tabs.children].map((tab) => tab.dataset.name);
  if (before.length !== names.length || names.some((name, index) => before[index] !== name)) {
    tabs.replaceChildren(...schemas.map((schema) => element("button", {
      type: "button", role: "tab", id: `schema-${schema.name}`, "data-name": schema.name, "aria-controls": "schema-panel",
      onclick: () => chooseSchema(schema.name),
    }, schema.title)));
  }
  for (const tab of tabs.children) {
    const schema = schemas.find((it) => it.name === tab.dataset.name);
    tab.setAttribute("aria-selected", String(schema === chosen));
    tab.tabIndex = schema === chosen ? 0 : -1;
    tab.classList.toggle("refused", schema.text === null);
  }
  panel.removeAttribute("aria-label");
  panel.setAttribute("aria-labelledby", `schema-${chosen.name}`);
  if (chosen.text === null) {
    panel.replaceChildren(element("p", {}, `No ${chosen.title}: ${visible(cut(chosen.refused ?? "the value cannot be described", 1000))}`));
    return;
  }
  const key = `${chosen.name}\n${chosen.text}`;
  if (panel.dataset.shown === key && panel.querySelector("pre")) return;
  panel.dataset.shown = key;
  const button = element("button", { type: "button", id: "copy-schema", onclick: () => copy(button, chosen.text) }, "Copy");
  panel.replaceChildren(element("div", { class: "code-head" }, element("span", {}, chosen.file), button), element("pre", {}, chosen.text));
}

function chooseSchema(name) {
  state.schemaTab = name;
  showSchemas();
  fragmentLater();
}

find("schema-tabs").addEventListener("keydown", (event) => {
  const tabs = [...find("schema-tabs").children];
  const at = tabs.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (at < 0 || to === undefined || hasModifier(event)) return;
  event.preventDefault();
  const target = tabs[(to + tabs.length) % tabs.length];
  chooseSchema(target.dataset.name);
  target.focus();
});

// --- The box of the payload

const box = find("text");

// Shows a text in the box; a long one is cut, and cannot be edited.
function setBox(text, isWhole = true) {
  const isCut = text.length > BOX_CHARACTERS_MAX;
  state.held = isCut ? text : null;
  const shown = isCut ? text.slice(0, BOX_CHARACTERS_MAX) : text;
  if (box.value !== shown) box.value = shown;
  box.readOnly = isCut || !isWhole;
  state.isCut = isCut || !isWhole;
  if (state.isCut) [box.scrollTop, box.scrollLeft] = [0, 0];
  drawGutter();
}

function boxNote() {
  const { view } = state;
  if (state.isCut) {
    const whole = state.held === null ? "" : ` of ${formatCount(state.held.length)}`;
    return `Too long to edit here: the first ${formatCount(box.value.length)}${whole} characters are shown.`;
  }
  if (!view || !state.isDerived) return "";
  if (view.failure) return "The bytes cannot be read. This is the value of the last bytes that could be.";
  const losses = view.json?.losses.length ?? 0;
  const changed = losses > 0 ? `, with ${losses === 1 ? "1 loss" : `${formatCount(losses)} losses`}` : "";
  return `The ${view.input.title} as JSON${changed}. An edit makes this text the payload.`;
}

function setNote(text) {
  find("note").textContent = text;
  find("note").hidden = text === "";
}

// Writes the payload of the view into the box as text, unless the payload came from the box.
function fillBox() {
  const { view, request, origin } = state;
  if (origin !== "box") {
    if (request.text !== null) {
      state.isDerived = false;
      setBox(request.text);
    } else {
      // The JSON text of a JSON payload is the payload itself.
      const isJson = view.input.format === "json";
      const text = isJson && view.json === null ? decodeText(fromBase64(request.bytes)) : null;
      state.isDerived = text === null && !isJson;
      if (text !== null) setBox(text);
      else if (view.json) setBox(view.json.text, !view.json.truncated);
      else if (origin !== "hex") setBox("");
    }
  }
  setNote(boxNote());
}

// Numbers the lines in sight.
function drawGutter() {
  const lines = countLines(box.value);
  const first = Math.floor(box.scrollTop / LINE_PX);
  const last = Math.min(lines, first + Math.ceil(box.clientHeight / LINE_PX) + 1);
  const gutter = find("gutter");
  gutter.style.width = `calc(${Math.max(String(lines).length, 2)}ch + 12px)`;
  gutter.textContent = Array.from({ length: Math.max(last - first, 0) }, (_, at) => first + at + 1).join("\n");
  gutter.style.paddingTop = "0";
  gutter.style.textIndent = "0";
  gutter.scrollTop = 0;
  gutter.style.marginTop = `${6 - (box.scrollTop - first * LINE_PX)}px`;
  gutter.style.marginBottom = `-${LINE_PX}px`;
  moveMirror();
}

let countedText = null;
let countedLines = 1;
function countLines(text) {
  if (text === countedText) return countedLines;
  countedText = text;
  countedLines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) countedLines += 1;
  return countedLines;
}

// Marks the character of a fault behind the text.
let faultLine = null;
function setFault(failure) {
  const mirror = find("mirror");
  faultLine = null;
  mirror.replaceChildren();
  find("text").setAttribute("aria-invalid", String(failure !== null));
  if (failure === null) return;
  const line = box.value.split("\n")[failure.line - 1];
  if (line === undefined) return;
  const at = Math.max((failure.column ?? 1) - 1, 0);
  const characters = [...line];
  mirror.append(characters.slice(0, at).join(""), element("mark", {}, characters[at] ?? " "));
  faultLine = failure.line;
  moveMirror();
}

function moveMirror() {
  if (faultLine === null) return;
  find("mirror").style.transform = `translate(${-box.scrollLeft}px, ${(faultLine - 1) * LINE_PX - box.scrollTop}px)`;
}

// Takes a text as the payload; the box shows as much of it as it can.
function takeText(text, origin, isNew) {
  const keepsForm = origin === "box" && !isNew && (!state.isDerived || state.view?.input.format === "json");
  state.isDerived = false;
  state.name = null;
  showName();
  const parts = { text, bytes: null };
  if (!keepsForm) Object.assign(parts, { form: null, schema: null, message: null });
  if (origin === "box") {
    if (text.length > BOX_CHARACTERS_MAX) setBox(text);
    else {
      state.held = null;
      state.isCut = false;
      box.readOnly = false;
      drawGutter();
    }
    setFault(null);
    setNote(boxNote());
  }
  change(parts, origin, { delay: origin === "box" && !isNew ? DEBOUNCE_MS : 0, isNew });
  showSchemaBox();
}

// True while a paste replaces the whole text: then it is another payload and not an edit.
let isReplacing = false;
box.addEventListener("input", () => {
  takeText(box.value, "box", isReplacing);
  isReplacing = false;
});
// A long text never enters the box: laying it out would stop the page.
box.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const isReplaced = box.readOnly || (box.selectionStart === 0 && box.selectionEnd === box.value.length);
  if (text === "") return;
  if (!box.readOnly && text.length <= BOX_CHARACTERS_MAX) {
    isReplacing = isReplaced;
    return;
  }
  event.preventDefault();
  if (isReplaced) {
    setBox(text);
    takeText(text, "box", true);
    return;
  }
  const whole = box.value.slice(0, box.selectionStart) + text + box.value.slice(box.selectionEnd);
  setBox(whole);
  takeText(whole, "box", true);
});
box.addEventListener("scroll", drawGutter, { passive: true });
new ResizeObserver(drawGutter).observe(box);

find("indent").addEventListener("click", () => {
  if (!state.view?.json) return;
  const text = indentJson(state.view.json.text);
  setBox(text);
  change({ text, bytes: null, form: null, schema: null, message: null }, "box");
  state.isDerived = false;
  setNote("");
  showSchemaBox();
});
find("example").addEventListener("click", () => {
  setBox(EXAMPLE);
  takeText(EXAMPLE, "link", true);
});
find("clear").addEventListener("click", () => {
  setBox("");
  takeText("", "box", true);
  box.focus();
});

function showName() { find("source").textContent = state.name === null ? "" : visible(state.name); }

// --- How the payload is read

function fillForms() {
  const select = find("form");
  const { view, request } = state;
  const title = (form) => state.forms.find((it) => it.name === form)?.title ?? form;
  const found = view && request.form === null ? `${title(view.input.form)} (detected)` : "detected";
  const forms = new Set([...(view ? [view.input.form, ...view.input.also] : []), ...state.forms.map((it) => it.name)]);
  if (request.form !== null) forms.add(request.form);
  const options = [["", found], ...[...forms].map((form) => [form, title(form)])];
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(...options.map(([value, label]) => element("option", { value }, label)));
  }
  select.value = request.form ?? "";
}

find("form").addEventListener("change", () => {
  change({ form: find("form").value || null }, state.origin);
});

function showSchemaBox() {
  const { schema, message } = state.request;
  if (document.activeElement !== find("schema")) find("schema").value = schema ?? "";
  if (document.activeElement !== find("message")) find("message").value = message ?? "";
}

find("schema").addEventListener("input", () => change({ schema: find("schema").value.trim() === "" ? null : find("schema").value }, state.origin, { delay: DEBOUNCE_MS }));
find("message").addEventListener("input", () => change({ message: find("message").value.trim() || null }, state.origin, { delay: DEBOUNCE_MS }));

// --- Edited bytes

function editBytes(format, bytes) {
  const { request, view } = state;
  const { form } = format;
  // Consecutive edits of one format are read by one schema: a schema inferred from an edit would
  // number fields anew.
  let { schema, message } = request;
  if (!format.is_input || schema === null) {
    schema = format.schema ? view.schemas.find((it) => it.name === format.schema)?.text ?? null : null;
    message = null;
  }
  change({ text: null, bytes: toBase64(bytes), form, schema, message }, "hex", { delay: DEBOUNCE_MS });
  showSchemaBox();
}

// --- Files

async function takeFile(file) {
  if (file.size > state.bytesMax) {
    showProblem(`${visible(file.name)} has ${bytesText(file.size)}; at most ${bytesText(state.bytesMax)} can be read.`);
    return;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.(proto|avsc)$/i.test(file.name)) {
    find("schema-box").open = true;
    change({ schema: decodeText(bytes) ?? "" }, state.origin);
    showSchemaBox();
    return;
  }
  state.name = file.name;
  showName();
  // The schema is kept, because it may have been dropped before the bytes that it describes.
  change({ text: null, bytes: toBase64(bytes), form: null }, "file", { isNew: true });
  showSchemaBox();
}

find("open").addEventListener("click", () => find("file").click());
find("file").addEventListener("change", () => {
  const [file] = find("file").files;
  if (file) takeFile(file);
  find("file").value = "";
});
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (!carriesFiles(event)) return;
  event.preventDefault();
  // Schemas come first, so that the bytes are read by them.
  const files = [...event.dataTransfer.files].sort((left, right) => Number(/\.(proto|avsc)$/i.test(right.name)) - Number(/\.(proto|avsc)$/i.test(left.name)));
  files.reduce((before, file) => before.then(() => takeFile(file)), Promise.resolve());
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && light.pinned >= 0 && !event.defaultPrevented) {
    light.pinned = -1;
    light.hovered = null;
    light.paint();
    fragmentLater();
  }
});

// --- Weighing

let weighing = null;

function addProgress(text) {
  const list = find("progress");
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - LINE_PX;
  list.hidden = false;
  list.append(element("p", {}, visible(cut(text))));
  while (list.children.length > PROGRESS_LINES_MAX) list.firstChild.remove();
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

function showReport(path) {
  const url = new URL(path, location.href);
  if (url.origin !== location.origin) throw new Error("The report is on another server.");
  const frame = element("iframe", { title: "Report of the weighing" });
  // The report needs its script and nothing of this page.
  frame.setAttribute("sandbox", "allow-scripts");
  frame.src = url.href;
  find("report").replaceChildren(element("p", { class: "rule", id: "report-note" }), frame);
  find("report-link").href = url.href;
  find("report-link").hidden = false;
}

// Says that the payload is no longer the one that was weighed.
function noteWeighing() {
  const note = find("report-note");
  if (note) note.textContent = "The payload has changed since this report.";
}

async function weigh() {
  if (weighing || isEmpty(state.request)) return;
  const abort = new AbortController();
  weighing = abort;
  find("weigh").disabled = true;
  find("stop").hidden = false;
  find("report-link").hidden = true;
  find("weigh-failure").hidden = true;
  find("report").replaceChildren();
  find("progress").replaceChildren();
  let hasEnd = false;
  try {
    for await (const event of engine.weigh(state.request, abort.signal)) {
      if (typeof event.progress === "string") addProgress(event.progress);
      if (typeof event.error === "string") throw new Error(event.error);
      if (typeof event.report === "string") {
        hasEnd = true;
        showReport(event.report);
      }
    }
    if (!hasEnd) throw new Error("The weighing ended without a report.");
  } catch (error) {
    if (abort.signal.aborted) addProgress("stopped");
    else {
      find("weigh-failure").textContent = visible(error.message);
      find("weigh-failure").hidden = false;
    }
  } finally {
    weighing = null;
    const hadFocus = document.activeElement === find("stop");
    find("stop").hidden = true;
    find("weigh").disabled = state.view === null || state.view.failure !== null;
    if (hadFocus) find("weigh").focus();
  }
}

// Without an engine that weighs, the page says how to weigh elsewhere.
find("go-weigh").hidden = engine.weigh === null;
find("weigh-part").hidden = engine.weigh === null;
find("weigh-elsewhere").hidden = engine.weigh !== null;
find("weigh").addEventListener("click", weigh);
find("stop").addEventListener("click", () => weighing?.abort());
find("go-weigh").addEventListener("click", () => {
  goTo("weigh-title");
  weigh();
});

// --- The state in the address

let fragmentTimer = 0;

function fragmentLater() {
  clearTimeout(fragmentTimer);
  fragmentTimer = setTimeout(writeFragment, FRAGMENT_MS);
}

// Returns what a link carries: the selection, and the payload if it is small.
function linkState() {
  const carried = { formats: state.selected };
  if (light.pinned >= 0) carried.path = state.model.paths[light.pinned];
  if (state.schemaTab !== null) carried.types = state.schemaTab;
  const { request } = state;
  if (!isEmpty(request) && fitsLink(request)) {
    for (const [name, value] of Object.entries(request)) if (value !== null) carried[name] = value;
  }
  return carried;
}

function fitsLink(request) {
  return payloadSize(request) + (request.schema ? new TextEncoder().encode(request.schema).length : 0) <= FRAGMENT_BYTES_MAX;
}

function writeFragment() {
  clearTimeout(fragmentTimer);
  const json = new TextEncoder().encode(JSON.stringify(linkState()));
  const fragment = `#${toBase64(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
  if (fragment !== location.hash) history.replaceState(null, "", fragment);
}

// Reads the state of a link; returns null for a link without a valid state.
function readFragment() {
  const text = location.hash.slice(1);
  if (text === "") return null;
  try {
    const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
    const carried = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof carried === "object" && carried !== null ? carried : null;
  } catch {
    return null;
  }
}

// Takes the state of a link. Returns false if it has no payload.
function restore(carried) {
  const text = (value) => (typeof value === "string" ? value : null);
  if (Array.isArray(carried.formats)) {
    state.selected = carried.formats.filter((name) => typeof name === "string").slice(0, 2);
    state.isChosen = state.selected.length > 0;
  }
  state.wantedPath = text(carried.path);
  state.schemaTab = text(carried.types);
  const request = {
    text: text(carried.text), bytes: text(carried.bytes), form: text(carried.form),
    schema: text(carried.schema), message: text(carried.message),
  };
  if (request.bytes !== null) {
    request.text = null;
    try {
      fromBase64(request.bytes);
    } catch {
      return false;
    }
  }
  if (isEmpty(request)) return false;
  change(request, "link", { isNew: true });
  if (request.text !== null) setBox(request.text);
  showSchemaBox();
  return true;
}

find("share").addEventListener("click", () => {
  writeFragment();
  if (!isEmpty(state.request) && !fitsLink(state.request)) {
    setNote("The payload is larger than 16 KB: the link has the selection only.");
  }
  copy(find("share"), location.href);
});
addEventListener("hashchange", () => {
  const carried = readFragment();
  if (carried) restore(carried);
});
light.onPin = fragmentLater;

// --- Start

function fillLegends() {
  const parts = PARTS.slice(0, 3).map((part) => element("li", {}, element("span", { class: `part ${part}` }), part));
  find("parts-legend").replaceChildren(...parts);
  const roles = ROLE_SAMPLES.map((name, role) => element("li", {}, element("code", { class: `r${role}` }, name)));
  find("roles-legend").replaceChildren(...roles);
}

async function start() {
  fillLegends();
  fillForms();
  showNothing();
  clearTimeout(fragmentTimer);
  let first = { name: null, request: null };
  try {
    first = await engine.start();
    state.bytesMax = first.payload_bytes_max;
    state.forms = first.forms;
    fillForms();
  } catch (error) {
    showProblem(error.message);
  }
  const carried = readFragment();
  // Text typed while the page loads is kept.
  if (box.value !== "") return;
  if (carried && restore(carried)) return;
  if (first.request) {
    state.name = first.name;
    showName();
    change({ ...emptyRequest(), ...first.request }, "link", { isNew: true });
    if (first.request.text !== null) setBox(first.request.text);
    showSchemaBox();
    return;
  }
  setBox(EXAMPLE);
  takeText(EXAMPLE, "link", true);
}

start();
