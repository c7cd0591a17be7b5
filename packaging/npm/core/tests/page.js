// Runs the tests of the package, and says in the title of the page how they ended.
import { run } from "./behaviour.mjs";

try {
  run(await import("./node_modules/@manywire/core/browser.js"));
  document.title = "passed";
} catch (error) {
  document.querySelector("p").textContent = `${error.stack ?? error}`;
}
