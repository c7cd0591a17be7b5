// Opens the page of the example in a browser, as a person would: it shows every operation, sends a request,
// and nothing of it comes from another host.
// usage: node openapi.mjs CHROMIUM BASE PICTURE
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const [executablePath, base, picture] = process.argv.slice(2);
const document = await (await fetch(`${base}/openapi.json`)).json();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
const messages = [];
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(String(error)));
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith(`${base}/`) && !url.startsWith("data:")) messages.push(`request of ${url}`);
});
await page.goto(`${base}/docs`);
await page.locator(".opblock").first().waitFor();
const shown = await page.locator(".opblock-summary-description").allTextContents();
assert.deepEqual(shown.sort(), operations.map((operation) => operation.summary).sort());
assert.equal(await page.locator(".info .title").textContent().then((text) => text.startsWith("Hotels")), true);

const find = page.locator(".opblock", { hasText: "Finds a hotel" });
await find.locator(".opblock-summary-control").click();
await find.getByRole("button", { name: "Try it out" }).click();
await find.getByPlaceholder("id").fill("7");
await find.getByRole("button", { name: "Execute" }).click();
const answer = find.locator(".live-responses-table");
await answer.getByText("Hotel 7").waitFor();
await page.screenshot({ path: picture });
assert.deepEqual(messages, []);
await browser.close();
console.log(`the page shows ${shown.length} operations`);
