// The package for Node.js: loads the module from its folder.
import { readFileSync } from "node:fs";
import { load } from "./core.js";

load(readFileSync(new URL("manywire_bg.wasm", import.meta.url)));

export * from "./core.js";
