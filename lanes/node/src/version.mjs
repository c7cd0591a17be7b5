import { readFileSync } from "node:fs";

/** Returns the installed version of a library. */
export function version(library) {
  const file = new URL(`../node_modules/${library}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
