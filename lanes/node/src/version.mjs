import { readFileSync } from "node:fs";

/** The version of a library as it is installed. */
export function version(library) {
  const file = new URL(`../node_modules/${library}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}
