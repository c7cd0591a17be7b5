// Holds the pages of reports to what a reader sees and does, in a real browser.
// usage: node page.mjs CHROMIUM FOLDER page.js page_model.json
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [executablePath, folder, script, golden] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core"), "utf8");

// The script's cost model against the figures that `trial`'s model gave.
const functions = { exports: {} };
new Function("module", readFileSync(script, "utf8"))(functions);
const { cost, breakEven, parseLink } = functions.exports;
const close = (left, right, what) => assert.ok(Math.abs(left - right) <= 1e-9 * Math.abs(right), `${what}: ${left}, expected ${right}`);
const cases = JSON.parse(readFileSync(golden, "utf8"));
for (const it of cases) {
  const found = cost(it.demand, parseLink(it.link), it.prices);
  for (const [name, value] of Object.entries(found)) close(value, it.cost[name], name);
  const even = breakEven(it.demand, it.reference);
  assert.equal(even.fewer, it.break_even.fewer);
  if (it.break_even.bits_per_s === null) assert.equal(even.bits_per_s, null);
  else close(even.bits_per_s, it.break_even.bits_per_s, "break-even");
}
console.log(`model: ${cases.length} cases agree`);

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
// Opens a page, runs a test on it, and fails on any message of the console and any request.
async function open(name, options, test) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const messages = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) messages.push(`request of ${request.url()}`);
  });
  await page.goto(`file://${resolve(join(folder, name))}`);
  await test(page);
  assert.deepEqual(messages, [], name);
  await context.close();
  console.log(`${name} ${JSON.stringify(options)}: passed`);
}

// The violations of WCAG that axe-core finds, with the element of each.
async function accessible(page) {
  // The page's policy forbids other scripts, so axe is evaluated in the test's world.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations);
  const named = found.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
  assert.deepEqual(named, []);
}

const sizes = [{ width: 1440, height: 900 }, { width: 768, height: 1024 }, { width: 390, height: 844 }];
for (const [name, viewport] of ["hotels.html", "trial.html"].flatMap((name) => sizes.map((size) => [name, size]))) {
  for (const colorScheme of ["light", "dark"]) {
    await open(name, { viewport, colorScheme }, async (page) => {
      await accessible(page);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} pixels wider than its window`);
      const answer = await page.locator(".sentence").first().boundingBox();
      assert.ok(answer.y + answer.height < viewport.height, "the answer is on the first screen");
    });
  }
}

await open("hotels.html", { viewport: sizes[0] }, async (page) => {
  // One chart at a time, chosen by lists.
  const size = page.locator("section[aria-labelledby=size]");
  assert.equal(await size.locator("figure:visible").count(), 1);
  const before = await size.locator("figure:visible svg").innerHTML();
  await size.locator("select:visible").last().selectOption("time to decode");
  assert.notEqual(await size.locator("figure:visible svg").innerHTML(), before);
  assert.equal(await size.locator("figure:visible .front").count(), 1);

  // The fields of a format as bars, and as a table that a keyboard opens.
  const fields = page.locator("section[aria-labelledby=fields]");
  await fields.locator("select").selectOption("msgpack");
  assert.equal(await fields.locator("figure:visible").count(), 1);
  assert.match(await fields.locator("figure:visible p").textContent(), /^Of 27,691 bytes, \d+ % are keys/);
  assert.ok((await fields.locator("figure:visible g .part").count()) >= 9);
  await fields.locator("figure:visible summary").focus();
  await page.keyboard.press("Enter");
  const path = fields.locator("figure:visible tbody td").first();
  assert.match(await path.textContent(), /^\$\.hotels/);
  assert.ok(await path.isVisible());

  // The table sorts by number, in both directions, by keyboard.
  const bytes = page.locator("#table th", { hasText: "bytes" }).first();
  const column = async () => (await page.locator("#table tbody tr td:nth-child(6)").allTextContents()).map((it) => Number(it.replaceAll(",", "")));
  await bytes.locator("button").focus();
  await page.keyboard.press("Enter");
  let figures = await column();
  assert.deepEqual(figures, [...figures].sort((a, b) => a - b));
  await page.keyboard.press("Enter");
  figures = await column();
  assert.deepEqual(figures, [...figures].sort((a, b) => b - a));
  assert.equal(await bytes.getAttribute("aria-sort"), "descending");

  // Filters hide the other rows.
  await page.locator("section[aria-labelledby=rows] .filters select").last().selectOption("avro");
  assert.equal(await page.locator("#table tbody tr:visible").count(), 1);

  // Sliders move the model, and a chosen link sets them.
  const latency = () => page.locator("#costs tbody tr").first().locator("td").nth(1).textContent();
  const at4g = await latency();
  assert.ok(parseFloat(at4g) > 50, `4g has a round trip of 50 ms, found ${at4g}`);
  await page.locator("#link").selectOption("1gbit/200us");
  assert.ok(parseFloat(await latency()) < parseFloat(at4g));
  await page.locator("#bandwidth").focus();
  const before2 = await latency();
  for (let index = 0; index < 20; index += 1) await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator("#link").inputValue(), "");
  assert.notEqual(await latency(), before2);
  assert.match(await page.locator("#bandwidth").getAttribute("aria-valuetext"), /bit\/s$/);

  // Print: no controls, and the charts fit the paper.
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".sliders").isVisible(), false);
  assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
});

await open("trial.html", { viewport: sizes[0] }, async (page) => {
  // Each format has its three parts, and a line for the whole.
  const parts = page.locator("section[aria-labelledby=parts] figure:visible");
  assert.equal(await parts.locator("g .part").count(), 6);
  assert.ok(await parts.locator("g .whole").count() >= 2);
  // The table sorts, and the cost model has a row for each format.
  await page.locator("#table th button", { hasText: "bytes" }).click();
  assert.match(await page.locator("#table tbody tr").first().textContent(), /msgpack/);
  assert.equal(await page.locator("#costs tbody tr").count(), 2);
});
await open("hostile.html", { viewport: sizes[0] }, async (page) => {
  assert.ok((await page.title()).includes("<img src=x"), "the name is shown as text");
  assert.equal(await page.locator("img").count(), 0);
});
await open("sweep.html", { viewport: sizes[0] }, async (page) => {
  assert.ok((await page.locator("section[aria-labelledby=sweep] .curve").count()) >= 3);
  await accessible(page);
});
await open("sizes.html", { viewport: sizes[0] }, async (page) => {
  // Nothing was timed; the bytes of fields are exact.
  assert.equal(await page.locator("svg").count(), 7);
  assert.equal(await page.locator("section[aria-labelledby=fields] svg").count(), 7);
  await accessible(page);
});
await open("compared.html", { viewport: sizes[0] }, async (page) => {
  assert.ok((await page.locator("section[aria-labelledby=changes]").textContent()).includes("Nothing changed"));
});
// Without scripts every chart and every row is there.
await open("hotels.html", { viewport: sizes[0], javaScriptEnabled: false }, async (page) => {
  assert.ok((await page.locator("figure:visible").count()) > 2);
});
await browser.close();
