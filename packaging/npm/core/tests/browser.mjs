// Tests the package that is installed here, in a browser that gets its files from a plain server.
// usage: node browser.mjs CHROMIUM URL
// URL is that of this folder.
import { chromium } from "playwright-core";

const [executablePath, address] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
const messages = [];
page.on("console", (message) => messages.push(message.text()));
page.on("pageerror", (error) => messages.push(String(error)));
await page.goto(new URL("page.html", address).href);
await page.waitForFunction(() => document.title !== "running" || document.querySelector("p").textContent !== "", null, { timeout: 60_000 });
const said = await page.locator("p").textContent();
if (await page.title() !== "passed" || messages.length > 0) throw new Error([said, ...messages].join("\n"));
console.log(`@manywire/core in Chromium ${browser.version()}: passed`);
await browser.close();
