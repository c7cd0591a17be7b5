// Tests the package that is installed here, in Node.js.
import * as manywire from "@manywire/core";
import { run } from "./behaviour.mjs";

run(manywire);
console.log(`@manywire/core in Node.js ${process.versions.node}: passed`);
