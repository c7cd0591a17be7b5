// Holds the page of `manywire play` to what a user sees and does, in a real browser.
// usage: node play.mjs CHROMIUM URL WORK server|static
// URL is the address that `manywire play --no-open` printed, or that of the page in a static folder on another
// server. WORK is a folder for screenshots; the README shows one of them, readme.png.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const [executablePath, address, work, kind] = process.argv.slice(2);
assert.ok(kind === "server" || kind === "static", "usage: node play.mjs CHROMIUM URL WORK server|static");
const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core"), "utf8");
const base = new URL(address).href;
mkdirSync(work, { recursive: true });

const WIDE = { width: 1440, height: 900 };
const SIZES = [WIDE, { width: 768, height: 1024 }, { width: 390, height: 844 }];
const ORDER = '{"id":4711,"name":"Ada","tags":["new","paid"],"address":{"city":"London","zip":"W1"},"total":99.5}';
const FORMATS = ["json", "msgpack", "msgpack-array", "cbor", "protobuf", "avro", "bson"];

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });

// Opens the page, runs a test on it, and fails on any message of the console and any request elsewhere.
async function open(name, options, test) {
  const { fragment = "", ...settings } = options;
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce", ...settings });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(String(error)));
  page.on("dialog", (dialog) => messages.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) messages.push(`request of ${request.url()}`);
  });
  await page.goto(base + fragment);
  await page.locator("#formats tbody tr[data-format]").first().waitFor();
  await idle(page);
  await test(page, context);
  assert.deepEqual(messages, [], name);
  assert.equal((await context.cookies()).length, 0, "nothing is stored");
  assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0, "nothing is stored");
  await context.close();
  console.log(`${name}: passed`);
}

const idle = (page) => page.waitForFunction(() => document.getElementById("main").getAttribute("aria-busy") !== "true");

// Runs an action that changes the payload, and waits until its view is shown.
async function viewed(page, action) {
  await page.evaluate(() => {
    const main = document.getElementById("main");
    globalThis.isViewed = false;
    let isBusy = false;
    const observer = new MutationObserver(() => {
      if (main.getAttribute("aria-busy") === "true") isBusy = true;
      else if (isBusy) {
        globalThis.isViewed = true;
        observer.disconnect();
      }
    });
    observer.observe(main, { attributes: true, attributeFilter: ["aria-busy"] });
  });
  await action();
  await page.waitForFunction(() => globalThis.isViewed, null, { timeout: 60_000 });
}

async function type(page, text) {
  // A text that is too long to edit is cleared first.
  if (!(await page.locator("#text").isEditable())) await page.locator("#clear").click();
  await viewed(page, () => page.locator("#text").fill(text));
}

async function paste(page, text) {
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
  await page.locator("#text").focus();
  await page.keyboard.press("ControlOrMeta+A");
  await viewed(page, () => page.keyboard.press("ControlOrMeta+V"));
}

async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(([file, values]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(values)], file));
    return transfer;
  }, [name, [...bytes]]);
  await viewed(page, () => page.dispatchEvent("body", "drop", { dataTransfer: data }));
}

// Shows exactly these formats, in panes.
async function show(page, ...names) {
  const box = (name) => page.locator(`#formats tr[data-format="${name}"] input`);
  // A third takes the place of the first, which may be a wanted one.
  for (const name of [...names, ...names]) if (!(await box(name).isChecked())) await box(name).click();
  for (const name of FORMATS) {
    if (!names.includes(name) && await box(name).isEnabled() && await box(name).isChecked()) await box(name).click();
  }
  const shown = await page.locator(".pane").evaluateAll((panes) => panes.map((pane) => pane.dataset.format));
  assert.deepEqual([...shown].sort(), [...names].sort());
}

const number = (text) => Number(text.replace(/[^\d]/g, ""));
const size = async (page, format) => number(await page.locator(`#formats tr[data-format="${format}"] td`).first().evaluate((cell) => cell.firstChild.textContent));
const pane = (page, format) => page.locator(`.pane[data-format="${format}"]`);
// The bytes that are shown in a pane, as hex digits.
const hexOf = (page, format) => pane(page, format).locator(".hex [data-span]").evaluateAll((runs) =>
  runs.filter((run) => !run.closest(".text")).map((run) => run.textContent.replaceAll(" ", "")).join(""));
const litHex = (page, format) => pane(page, format).locator(".hex .lit").evaluateAll((runs) =>
  runs.filter((run) => !run.closest(".text")).map((run) => run.textContent.replaceAll(" ", "")).join(""));
const litRows = (page, format) => pane(page, format).locator(".spans .row.lit .where").allTextContents();
const hexText = (text) => Buffer.from(text).toString("hex");

// The violations of WCAG that axe-core finds, with the element of each.
async function accessible(page, state) {
  // The policy of the page forbids other scripts, so axe is evaluated in the test's world.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  const named = found.map((it) => `${it.id}: ${it.nodes.slice(0, 4).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(named, [], state);
}

async function fits(page, state) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${state}: the page is ${wide} pixels wider than its window`);
}

await open("sizes", {}, async (page) => {
  await type(page, ORDER);
  assert.equal(await size(page, "json"), ORDER.length);
  for (const format of FORMATS.filter((it) => it !== "json" && it !== "bson")) {
    assert.ok(await size(page, format) < ORDER.length, `${format} is smaller than JSON`);
  }
  assert.match(await page.locator("#sentence").textContent(), /^Avro is smallest: \d+\sB, \d+\s% of JSON/);
  assert.match(await page.locator("#status").textContent(), new RegExp(`^JSON: ${ORDER.length} B`));
  // The bars split the bytes, and say so in words.
  const bar = page.locator('#formats tr[data-format="msgpack"] .stack');
  const parts = (await bar.getAttribute("aria-label")).matchAll(/(\w+) ([\d,]+) B/g);
  const sum = [...parts].reduce((total, part) => total + number(part[2]), 0);
  assert.equal(sum, await size(page, "msgpack"));

  // One or two formats are shown; a third takes the place of the first.
  await show(page, "json");
  await show(page, "json", "cbor");
  await page.locator('#formats tr[data-format="avro"] td').first().click();
  assert.deepEqual(await page.locator(".pane h3").allTextContents(), ["CBOR", "Avro"]);
  await page.locator('#formats tr[data-format="avro"] input').click();
  assert.deepEqual(await page.locator(".pane h3").allTextContents(), ["CBOR"]);
  await page.locator('#formats tr[data-format="cbor"] input').click();
  assert.equal(await page.locator(".pane").count(), 1, "one format is always shown");

  // The bytes are those of the format: its hex view has all of them.
  await show(page, "json");
  assert.equal(await hexOf(page, "json"), hexText(ORDER));
  const rows = await pane(page, "json").locator(".spans .row").first().locator("span").allTextContents();
  assert.ok(rows.includes("object") && rows.includes("7b"), rows.join(" "));

  // The paths that take the most bytes.
  const largest = await page.locator("#largest tbody tr").first().textContent();
  assert.match(largest, /^\$.*\d B/);
  assert.match(await page.locator("#losses").textContent(), /^No losses/);
});

await open("texts", {}, async (page) => {
  const hex = "83 a2 69 64 04 a8 69 73 41 63 74 69 76 65 c3 a8 66 75 6c 6c 6e 61 6d 65 ad 48 6f 6d 65 72 20 53 69 6d 70 73 6f 6e";
  await paste(page, hex);
  assert.match(await page.locator("#status").textContent(), /^MessagePack.* from hex: 38 B/);
  assert.equal(await page.locator("#text").inputValue(), hex, "the box keeps what was pasted");
  assert.ok((await page.locator("#tree").textContent()).includes("Homer Simpson"));
  await page.locator("#indent").click();
  await idle(page);
  await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("JSON:"));
  assert.deepEqual(JSON.parse(await page.locator("#text").inputValue()), { id: 4, isActive: true, fullname: "Homer Simpson" });

  await paste(page, Buffer.from(hex.replaceAll(" ", ""), "hex").toString("base64"));
  assert.match(await page.locator("#status").textContent(), /^MessagePack.* from base64: 38 B/);

  // Indenting changes white space only.
  await type(page, '{"big":123456789012345678901234567890,"e":1.50e3,"s":"a, {b}: \\"c\\"","none":[],"o":{}}');
  await viewed(page, () => page.locator("#indent").click());
  assert.equal(await page.locator("#text").inputValue(),
    '{\n  "big": 123456789012345678901234567890,\n  "e": 1.50e3,\n  "s": "a, {b}: \\"c\\"",\n  "none": [],\n  "o": {}\n}\n');

  // A form that is chosen counts more than the one that was detected.
  await type(page, '{"a":1}\n{"a":2}\n');
  assert.match(await page.locator("#status").textContent(), /2 values/);
  await viewed(page, () => page.locator("#form").selectOption("json"));
  assert.equal(await page.locator("#form").inputValue(), "json");

  // Without a payload, the page asks for one.
  await page.locator("#clear").click();
  assert.match(await page.locator("#sentence").textContent(), /Paste or type/);
  assert.equal(await page.locator(".pane").count(), 0);
  await viewed(page, () => page.locator("#example").click());
  assert.ok((await page.locator("#tree").textContent()).includes("Ada Lovelace"));
});

// {"hello": "world"} as Avro files: what they begin with, and the rest of each, by the codec of its blocks.
const AVRO_HEAD = "4f626a0104166176726f2e736368656d6196017b2274797065223a227265636f7264222c226e616d65223a22526f6f74222c226669656c6473223a5b7b226e616d65223a2268656c6c6f222c2274797065223a22737472696e67227d5d7d146176726f2e636f646563";
const AVRO_FILES = {
  zstandard: "127a7374616e64617264007cb313228dd1ec89a4a78b4b7d5ccdc2021e28b52ffd20063100000a776f726c647cb313228dd1ec89a4a78b4b7d5ccdc2",
  snappy: "0c736e61707079004f11586976050b3cc4d383b12bac81a5021806140a776f726c64ec0c649b4f11586976050b3cc4d383b12bac81a5",
  bzip2: "0a627a69703200913c1354e79604640bc41c8159648ecb0258425a6836314159265359cbb40d15000000418000100404908020002218683004e8185dc914e142432ed03454913c1354e79604640bc41c8159648ecb",
  xz: "04787a006a0e2a37364378348cd0cabbf8194eba028001fd377a585a000004e6d6b4460200210100000000372797d60100050a776f726c6400000045a3fd24e4595e4e00011e06c12fa41d1fb6f37d010000000004595a6a0e2a37364378348cd0cabbf8194eba",
  deflate: "0e6465666c61746500ad164ace932dfc630c2a0bc7f392e4b30210e32acf2fca490100ad164ace932dfc630c2a0bc7f392e4b3",
};
// The same as JSON in zstd.
const ZSTD = "28b52ffd04589100007b2268656c6c6f223a22776f726c64227d0a3969c373";

await open("files", {}, async (page) => {
  // BSON: {"hello": "world"}
  const bson = Buffer.from("160000000268656c6c6f0006000000776f726c640000", "hex");
  await drop(page, "greeting.bson", bson);
  assert.equal(await page.locator("#source").textContent(), "greeting.bson");
  assert.match(await page.locator("#status").textContent(), /^BSON: 22 B/);
  assert.deepEqual(JSON.parse(await page.locator("#text").inputValue()), { hello: "world" });
  assert.equal(await page.locator('#formats tr[data-format="bson"] .chip').isVisible(), true);
  assert.equal(await hexOf(page, "bson"), bson.toString("hex"));

  // A file of JSON is shown as it is.
  await drop(page, "a.json", Buffer.from('{ "a":  [1,2] }'));
  assert.equal(await page.locator("#text").inputValue(), '{ "a":  [1,2] }');

  // Compressed files, and files with compressed blocks.
  const hello = async () => assert.ok((await page.locator("#tree").textContent()).includes('hello: "world"'));
  await drop(page, "a.json.gz", gzipSync('{"hello":"world"}'));
  await hello();
  await drop(page, "a.json.zst", Buffer.from(ZSTD, "hex"));
  await hello();
  for (const [codec, rest] of Object.entries(AVRO_FILES)) {
    await drop(page, `${codec}.avro`, Buffer.from(AVRO_HEAD + rest, "hex"));
    assert.equal(await page.locator("#failure").isVisible(), false, codec);
    assert.deepEqual(JSON.parse(await page.locator("#text").inputValue()), { hello: "world" }, codec);
  }

  // Protocol Buffers need their schema.
  await drop(page, "a.binpb", Buffer.from("0896011203416461", "hex"));
  await viewed(page, () => page.locator("#form").selectOption("protobuf"));
  assert.equal(await page.locator("#failure").isVisible(), true);
  assert.equal(await page.locator("#schema").isVisible(), true, "the box for the schema opens");
  await viewed(page, () => page.locator("#schema").fill('syntax = "proto3"; message Person { int64 id = 1; string name = 2; }'));
  assert.equal(await page.locator("#failure").isVisible(), false);
  const value = JSON.parse(await page.locator("#text").inputValue());
  assert.equal(value.name, "Ada");
  assert.equal(Number(value.id), 150);
});

await open("light", {}, async (page) => {
  await type(page, ORDER);
  await show(page, "json", "msgpack");
  const city = async (where) => {
    // Lists scroll to the value a moment after the pointer rests on it.
    for (const format of ["json", "msgpack"]) {
      await pane(page, format).locator(".spans .row.lit").first().waitFor();
      await pane(page, format).locator(".hex .lit").first().waitFor();
    }
    assert.equal(await litHex(page, "json"), hexText('"city":"London",'), `JSON, pointer in ${where}`);
    assert.equal(await litHex(page, "msgpack"), hexText("\u00a4city\u00a6London").replaceAll("c2", ""), `MessagePack, pointer in ${where}`);
    for (const format of ["json", "msgpack"]) {
      const paths = await litRows(page, format);
      assert.ok(paths.length > 0 && paths.every((path) => path.endsWith("s.city")), `${format} rows, pointer in ${where}: ${paths}`);
    }
    assert.match((await page.locator("#tree .row.lit").allTextContents()).join(), /^▾?city: "London"/);
  };
  await page.locator("#tree .row", { hasText: "London" }).hover();
  await city("the tree");
  await page.locator("h1").hover();
  assert.equal(await page.locator(".lit").count(), 0, "nothing is lit without a pointer");
  await pane(page, "msgpack").locator(".hex [data-span]", { hasText: hexText("city").replace(/..(?=.)/g, "$& ") }).first().hover();
  await city("the bytes");
  await page.locator("h1").hover();
  await pane(page, "json").locator(".spans .row", { hasText: '"London"' }).hover();
  await city("the rows");
  assert.match(await pane(page, "msgpack").locator(".detail").textContent(), /^\$\.address\.city: 12 B/);

  // A container lights up with all inside it.
  await page.locator("#tree .row", { hasText: "address" }).hover();
  assert.ok(await pane(page, "msgpack").locator(".hex .inside").count() > 0);

  // Arrows do the same; the last value stays lit.
  await page.locator("#tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator("#tree .row.lit").textContent(), /name: "Ada"/);
  assert.equal(await litHex(page, "msgpack"), "a46e616d65a3416461");
  await pane(page, "msgpack").locator(".hex").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#tree .row.lit").textContent(), /tags/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".lit").count(), 0);

  // The tree folds.
  await page.locator("#tree").focus();
  const address = page.locator("#tree .row", { hasText: "address" });
  await address.locator(".fold").click();
  assert.equal(await address.getAttribute("aria-expanded"), "false");
  assert.equal(await page.locator("#tree .row", { hasText: "London" }).count(), 0);

  // A path with * lights all its places.
  await type(page, '{"items":[{"price":1},{"price":2},{"price":3}]}');
  await page.locator("#largest button", { hasText: "price" }).first().hover();
  assert.equal(await page.locator("#tree .row.lit").count(), 3);
});

await open("edits", {}, async (page) => {
  await type(page, ORDER);
  await show(page, "msgpack", "protobuf");
  const before = await size(page, "protobuf");
  await type(page, ORDER.replace("Ada", "Ada Lovelace"));
  assert.equal(await size(page, "protobuf"), before + 9);
  assert.ok((await hexOf(page, "msgpack")).includes(hexText("Ada Lovelace")));

  // Bytes of every format can be edited; the text and the other formats follow.
  for (const format of FORMATS) {
    await type(page, ORDER);
    await show(page, format);
    await pane(page, format).getByRole("button", { name: "Edit bytes" }).click();
    const area = pane(page, format).locator("textarea");
    const hex = (await area.inputValue()).replace(/\s/g, "");
    assert.equal(hex.length / 2, await size(page, format));
    const changed = hex.replace(hexText("London"), hexText("Lisbon"));
    assert.notEqual(changed, hex);
    await viewed(page, () => area.fill(changed));
    const value = JSON.parse(await page.locator("#text").inputValue());
    assert.equal(value.address.city, "Lisbon", format);
    assert.equal(value.total, 99.5, format);
    assert.equal(await page.locator(`#formats tr[data-format="${format}"] .chip`).isVisible(), true, `${format} is the input`);
    assert.ok((await page.locator("#tree").textContent()).includes("Lisbon"), format);
    // Another edit, on the bytes of the first.
    await viewed(page, () => area.fill(changed.replace(hexText("Lisbon"), hexText("Madrid"))));
    assert.equal(JSON.parse(await page.locator("#text").inputValue()).address.city, "Madrid", format);
    await pane(page, format).getByRole("button", { name: "Edit bytes" }).click();
  }

  // An edit of the text makes JSON the payload again.
  await type(page, '{"a":1}');
  assert.match(await page.locator("#status").textContent(), /^JSON: 7 B/);

  // Digits that are no bytes are not sent.
  await show(page, "cbor");
  await pane(page, "cbor").getByRole("button", { name: "Edit bytes" }).click();
  await pane(page, "cbor").locator("textarea").fill("a1 61 6");
  assert.match(await pane(page, "cbor").locator(".hex-editor").textContent(), /one digit/);
  await pane(page, "cbor").locator("textarea").fill("a1 61 6x");
  assert.match(await pane(page, "cbor").locator(".hex-editor").textContent(), /not a hex digit/);

  // The last of many edits wins.
  for (const text of ["[1", "[1,2", "[1,2,3", "[1,2,3]"]) await page.locator("#text").fill(text);
  await viewed(page, () => page.locator("#text").press("End"));
  assert.match(await page.locator("#status").textContent(), /^JSON: 7 B/);
  assert.equal(await page.locator("#failure").isVisible(), false);
});

await open("faults", {}, async (page) => {
  await type(page, '{\n  "a": [1, 2,, 3]\n}');
  assert.match(await page.locator("#failure").textContent(), /^Line 2, column 14: /);
  const mark = await page.locator("#mirror mark").boundingBox();
  assert.equal(await page.locator("#mirror mark").textContent(), ",");
  const box = await page.locator("#text").boundingBox();
  assert.ok(mark.y > box.y && mark.y < box.y + 60, "the mark is on the second line");
  // The rows before the fault are there, and the fault is among them.
  assert.match(await pane(page, "json").locator(".spans").textContent(), /"a".*Fault: /s);
  assert.equal(await pane(page, "json").locator(".hex .run.fault").first().textContent(), "2c");
  assert.equal(await page.locator("#formats tbody tr").count(), FORMATS.length, "the table keeps its height");
  await page.screenshot({ path: join(work, "fault-text.png") });

  // The text of the last good bytes stays while bytes are edited.
  await type(page, '{"id":4,"isActive":true}');
  await show(page, "msgpack");
  await pane(page, "msgpack").getByRole("button", { name: "Edit bytes" }).click();
  await viewed(page, () => pane(page, "msgpack").locator("textarea").fill("82 a2 69 64 04 a8 69 73 41 63 74 69 76 65 c1"));
  assert.match(await page.locator("#failure").textContent(), /^Byte 14: /);
  assert.equal(await pane(page, "msgpack").locator(".hex .run.fault").first().textContent(), "c1");
  assert.match(await pane(page, "msgpack").locator(".spans").textContent(), /"isActive".*Fault: /s);
  assert.match(await page.locator("#text").inputValue(), /isActive/);
  await accessible(page, "fault");
  await page.screenshot({ path: join(work, "fault-bytes.png") });

  // Bytes that end too early are marked after the last byte.
  await viewed(page, () => pane(page, "msgpack").locator("textarea").fill("82 a2 69 64 04 a8 69"));
  assert.equal(await pane(page, "msgpack").locator(".hex .gap").count() + await pane(page, "msgpack").locator(".hex .run.fault").count() > 0, true);
  await viewed(page, () => pane(page, "msgpack").locator("textarea").fill("82 a2 69 64 04 a1 61 c3"));
  assert.equal(await page.locator("#failure").isVisible(), false);
});

await open("losses", {}, async (page) => {
  await type(page, '{"a":1,"big":123456789012345678901234567890}');
  const losses = page.locator("#losses tbody tr", { hasText: "MessagePack" }).first();
  assert.match(await losses.textContent(), /\$\.big/);
  await losses.locator("button").hover();
  assert.match(await page.locator("#tree .row.lit").textContent(), /big/);
  await page.locator('#formats tr[data-format="msgpack"] td button').click();
  const title = await page.locator("#losses-title").boundingBox();
  assert.ok(title.y >= 0 && title.y < WIDE.height, "the losses are in sight");
  // A value that a format cannot hold at all is explained in the table.
  await type(page, "5");
  const refused = page.locator('#formats tr[data-format="bson"]');
  assert.match(await refused.textContent(), /cannot hold|\d B/);
  await accessible(page, "losses");
});

await open("schemas", {}, async (page) => {
  await type(page, ORDER);
  const tabs = page.locator("#schema-tabs [role=tab]");
  assert.equal(await tabs.count(), 11);
  assert.match(await page.locator("#schema-panel pre").textContent(), /syntax = "proto3"/);
  await tabs.first().focus();
  await page.keyboard.press("ArrowRight");
  assert.match(await page.locator("#schema-panel pre").textContent(), /"type": "record"/);
  await page.keyboard.press("End");
  assert.match(await page.locator("#schema-panel pre").textContent(), /Struct/);
  await page.locator("[role=tab]", { hasText: "TypeScript" }).click();
  assert.match(await page.locator("#schema-panel pre").textContent(), /interface/);
  await page.locator("#copy-schema").click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.locator("#schema-panel pre").textContent());
  assert.equal(await page.locator("#copy-schema").textContent(), "Copied");
  // The name of a schema beside its bytes leads to it.
  await show(page, "avro");
  await pane(page, "avro").locator(".link").click();
  assert.equal(await page.locator("[role=tab][aria-selected=true]").textContent(), "Avro");
  await pane(page, "avro").getByRole("button", { name: "Copy hex" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.replace(/\s/g, ""), await hexOf(page, "avro"));
});

if (kind === "static") await open("no weighing", {}, async (page) => {
  assert.equal(await page.locator("#go-weigh").isVisible(), false);
  assert.equal(await page.locator("#weigh").isVisible(), false);
  assert.match(await page.locator("#weigh-elsewhere").textContent(), /manywire play/);
});

if (kind === "server") await open("weigh", {}, async (page, context) => {
  // A measurement can be stopped: that of a large payload takes long enough to do so.
  await type(page, JSON.stringify(Array.from({ length: 40_000 }, (_, id) => ({ id, name: `name ${id}` }))));
  await page.locator("#weigh").click();
  await page.locator("#progress p").first().waitFor({ timeout: 60_000 });
  await page.locator("#stop").click();
  await page.locator("#progress p", { hasText: "stopped" }).waitFor();
  assert.equal(await page.locator("#weigh").isEnabled(), true);
  // The server notices the end of the first within a launch.
  await type(page, ORDER);
  const report = page.locator("#report iframe");
  for (let attempt = 0; ; attempt += 1) {
    await page.locator("#go-weigh").click();
    await page.waitForFunction(() => document.querySelector("#report iframe") || !document.getElementById("weigh-failure").hidden, null, { timeout: 180_000 });
    if (await report.count() > 0) break;
    assert.ok(attempt < 20, await page.locator("#weigh-failure").textContent());
    await page.waitForTimeout(1000);
  }
  assert.ok(await page.locator("#progress p").count() > 0, "the progress is shown");
  await page.frameLocator("#report iframe").locator("h1").waitFor({ timeout: 30_000 });
  assert.match(await page.frameLocator("#report iframe").locator("h1").textContent(), /^Which format/);
  const [tab] = await Promise.all([context.waitForEvent("page"), page.locator("#report-link").click()]);
  await tab.waitForLoadState();
  assert.match(await tab.title(), /^Which format/);
  await tab.close();
  await page.screenshot({ path: join(work, "weigh.png") });
  await accessible(page, "weigh");
  await type(page, "[1]");
  assert.match(await page.locator("#report-note").textContent(), /has changed/);
});

let link = "";
await open("link", {}, async (page) => {
  await type(page, '{"name":"Zoë","list":[1,2]}');
  await show(page, "cbor", "bson");
  await page.locator("#tree .row", { hasText: "Zoë" }).click();
  await page.locator("#share").click();
  link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${base}#`));
  assert.equal(await page.evaluate(() => location.href), link);
  // A payload of more than 16 KB is not part of the address.
  await type(page, JSON.stringify("x".repeat(20_000)));
  await page.locator("#share").click();
  assert.ok((await page.evaluate(() => location.href)).length < 1000);
  assert.match(await page.locator("#note").textContent(), /larger than 16 KB/);
});
await open("restored link", { fragment: link.slice(base.length) }, async (page) => {
  assert.equal(await page.locator("#text").inputValue(), '{"name":"Zoë","list":[1,2]}');
  assert.deepEqual(await page.locator(".pane h3").allTextContents(), ["CBOR", "BSON"]);
  assert.match(await page.locator("#tree .row.lit").textContent(), /Zoë/);
  assert.equal(await page.evaluate(() => history.length), 2, "the address changes without entries in the history");
  // Bytes are restored as bytes.
  await pane(page, "bson").getByRole("button", { name: "Edit bytes" }).click();
  const area = pane(page, "bson").locator("textarea");
  await viewed(page, async () => area.fill((await area.inputValue()).replace("5a 6f", "4a 6f")));
  await page.locator("#share").click();
  link = await page.evaluate(() => location.href);
});
await open("restored bytes", { fragment: link.slice(base.length) }, async (page) => {
  assert.match(await page.locator("#status").textContent(), /^BSON/);
  assert.equal(JSON.parse(await page.locator("#text").inputValue()).name, "Joë");
});
await open("broken link", { fragment: "#e30x_-" }, async (page) => {
  assert.ok(await page.locator("#tree .row").count() > 0, "the page opens as without the link");
});

await open("keyboard", {}, async (page) => {
  // From the first Tab to a selected row, without a pointer.
  const focused = () => page.evaluate(() => `${document.activeElement.id}.${document.activeElement.className}`);
  const tabTo = async (part) => {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press("Tab");
      if ((await focused()).includes(part)) return;
    }
    assert.fail(`${part} is not reached by Tab`);
  };
  await tabTo("text.");
  await page.keyboard.press("ControlOrMeta+A");
  await viewed(page, () => page.keyboard.insertText(ORDER));
  await tabTo(".");
  await page.locator("#text").focus();
  for (let presses = 0; presses < 60 && !(await page.evaluate(() => document.activeElement.type === "checkbox")); presses += 1) await page.keyboard.press("Tab");
  const checked = () => page.locator("#formats input:checked").count();
  const before = await checked();
  await page.keyboard.press("Space");
  if (await checked() === before) await page.keyboard.press("Space");
  await tabTo("tree.");
  await page.keyboard.press("ArrowDown");
  const ring = await page.locator("#tree").evaluate((it) => getComputedStyle(it).outlineStyle);
  assert.equal(ring, "solid", "the focus is visible");
  await tabTo("spans");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const row = await page.evaluate(() => {
    const active = document.getElementById(document.activeElement.getAttribute("aria-activedescendant"));
    return { selected: active.getAttribute("aria-selected"), text: active.textContent, isLit: active.classList.contains("lit") };
  });
  assert.equal(row.selected, "true");
  assert.equal(row.isLit, true);
  assert.match(await page.locator("#tree .row.lit").textContent(), /id|name/);
});

await open("hostile payloads", {}, async (page) => {
  const keys = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "__proto__", "constructor", "\u202edesrever", "a\u0000b", "'\"><svg onload=alert(1)>", "$.a[0]", ""];
  const hostile = JSON.stringify({ list: keys.map((key) => ({ [`${key}`]: key })) }).replace('{"list"', '{"__proto__":{"x":1},"list"');
  await type(page, hostile);
  assert.equal(await page.locator("img, svg, main script").count(), 0);
  assert.ok((await page.locator("#tree").textContent()).includes("<img src=x onerror=alert(1)>"));
  assert.ok(!(await page.locator("#tree").textContent()).includes("\u202e"), "marks that reorder text are shown as code points");
  for (const format of FORMATS) {
    if (await page.locator(`#formats tr[data-format="${format}"] input`).isEnabled()) await show(page, format);
  }
  await accessible(page, "hostile keys");

  // Five megabytes, typed at once and pasted: the page answers meanwhile.
  const item = { id: 1, name: "a name of some length", tags: ["x", "y"], price: 12.5 };
  const big = JSON.stringify(Array.from({ length: 72_000 }, (_, id) => ({ ...item, id })));
  assert.ok(big.length > 5_000_000);
  await type(page, big);
  assert.match(await page.locator("#status").textContent(), new RegExp(`^JSON: ${big.length.toLocaleString("en-US")} B`));
  assert.match(await page.locator("#note").textContent(), /Too long to edit/);
  assert.ok((await page.locator("#text").inputValue()).length <= 200_000);
  await show(page, "json", "msgpack");
  assert.ok(await page.locator("body *").count() < 6000, "only the rows in sight are elements");
  // The end of a long list is reached, and lights up elsewhere.
  await pane(page, "msgpack").locator(".spans").focus();
  await page.keyboard.press("End");
  const last = await pane(page, "msgpack").locator(".spans .row.active").textContent();
  assert.match(last, /\[\d+\]/);
  assert.ok(await pane(page, "msgpack").locator(".hex .lit").count() > 0);
  await page.keyboard.press("Home");
  assert.ok(await pane(page, "json").locator(".hex .lit").count() > 0);
  await page.screenshot({ path: join(work, "large.png") });
  await paste(page, big.slice(0, -1));
  assert.equal(await page.locator("#failure").isVisible(), true);
  await page.locator("#clear").click();
  assert.equal(await page.locator("#text").isEditable(), true);

  // Deeper than any reader goes.
  await type(page, "[".repeat(100_000) + "]".repeat(100_000));
  assert.equal(await page.locator("#failure").isVisible(), true);
  await fits(page, "deep");
  const deep = 400;
  await type(page, "[".repeat(deep) + "]".repeat(deep));
  await page.locator("#tree").focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("#tree .row.active").getAttribute("aria-level"), String(deep));
  await fits(page, "deep");

  // Broken bytes of every kind.
  for (const bytes of ["c1", "ff", "00", "9fff", "bfff00", "16000000026865", "4f626a0100", "dfffffffff", "0a", "f97e00", "81a1"]) {
    await drop(page, "broken.bin", Buffer.from(bytes, "hex"));
    assert.equal(await page.locator("#failure").isVisible() || await page.locator("#tree .row").count() > 0, true, bytes);
  }
});

for (const viewport of SIZES) {
  for (const colorScheme of ["light", "dark"]) {
    const name = `${viewport.width}-${colorScheme}`;
    await open(name, { viewport, colorScheme }, async (page) => {
      await viewed(page, () => page.locator("#example").click());
      await fits(page, name);
      await accessible(page, name);
      const table = await page.locator("#formats").boundingBox();
      assert.ok(table.y + table.height < viewport.height, "the sizes are on the first screen");
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(background === "rgb(255, 255, 255)", colorScheme === "light");
      await page.screenshot({ path: join(work, `${name}.png`) });
      await page.locator("#tree .row", { hasText: "Lovelace" }).click();
      await page.locator(".pane").first().getByRole("button", { name: "Edit bytes" }).click();
      await accessible(page, `${name}, lit`);
      await fits(page, `${name}, lit`);
      await page.screenshot({ path: join(work, `${name}-page.png`), fullPage: true });
    });
  }
}

// Ten megabytes: the page answers while the view is made, and lists rows in sight only.
await open("large", {}, async (page) => {
  const events = Array.from({ length: 60_000 }, (_, id) => ({
    id, at: "2026-11-24T09:30:00Z", kind: id % 3 ? "view" : "order", user: { id: id % 977, name: "Ada Lovelace" },
    tags: ["new", "paid"], total: id / 4, note: "a text of some length, as they are",
  }));
  const bytes = Buffer.from(JSON.stringify(events));
  assert.ok(bytes.length > 10_000_000);
  const file = join(work, "events.json");
  writeFileSync(file, bytes);
  const begin = Date.now();
  // The longest time in which the page could not draw.
  await page.evaluate(() => {
    globalThis.longest = 0;
    let before = performance.now();
    const draw = (now) => {
      globalThis.longest = Math.max(globalThis.longest, now - before);
      before = now;
      requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  });
  await viewed(page, () => page.locator("#file").setInputFiles(file));
  const seconds = (Date.now() - begin) / 1000;
  const longest = await page.evaluate(() => globalThis.longest);
  console.log(`  ${bytes.length} bytes are shown after ${seconds.toFixed(1)} s; the page stood still for at most ${longest.toFixed(0)} ms`);
  assert.match(await page.locator("#status").textContent(), new RegExp(`^JSON: ${bytes.length.toLocaleString("en-US")} B`));
  for (const format of FORMATS) assert.ok(await size(page, format) > 1_000_000, format);
  await show(page, "json", "avro");
  assert.ok(await page.locator("body *").count() < 6000, "only the rows in sight are elements");
  await page.locator("#tree").focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("#tree .row.active").count(), 1, "the last row is in sight");
  // A view that is no longer wanted does not hold up the next one.
  await page.locator("#file").setInputFiles(file);
  await page.waitForFunction(() => document.getElementById("main").getAttribute("aria-busy") === "true");
  await page.locator("#clear").click();
  await type(page, '{"a":1}');
  assert.match(await page.locator("#status").textContent(), /^JSON: 7 B/);
});

// A value that is lit in the tree and in the bytes of two formats.
await open("picture", { viewport: { width: 1180, height: 740 } }, async (page) => {
  await viewed(page, () => page.locator("#example").click());
  await show(page, "json", "msgpack");
  await page.locator("#tree .row", { hasText: "Ada Lovelace" }).click();
  for (const format of ["json", "msgpack"]) await pane(page, format).locator(".hex .lit").first().waitFor();
  await page.locator("h1").hover();
  await page.screenshot({ path: join(work, "readme.png") });
});

// A window that becomes narrow keeps everything in reach.
await open("resize", {}, async (page) => {
  await type(page, ORDER);
  await show(page, "json", "avro");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(200);
  await fits(page, "resized");
  assert.equal(await page.locator(".pane").count(), 2);
  assert.equal(await hexOf(page, "avro").then((hex) => hex.length > 0), true);
  const box = await pane(page, "avro").boundingBox();
  assert.ok(box.width <= 390 && box.height > 300);
  await page.setViewportSize(WIDE);
  await page.waitForTimeout(200);
  assert.equal(await hexOf(page, "json"), hexText(ORDER));
});
await browser.close();
