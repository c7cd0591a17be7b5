// Packs `@manywire/core`: the WebAssembly module, which `packaging/wasm/build` has made, with its JavaScript.
// usage: node packaging/npm/pack-core.mjs FOLDER
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node packaging/npm/pack-core.mjs FOLDER");
  process.exit(2);
}
const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const root = join(here, "../..");
const id = execFileSync("cargo", ["pkgid", "--offline", "-p", "manywire-wasm"], { cwd: root, encoding: "utf8" });
const [, version] = /[#@](\d+\.\d+\.\d+\S*)\s*$/.exec(id);
const work = mkdtempSync(join(tmpdir(), "manywire-core-"));

try {
  cpSync(join(here, "core"), work, { recursive: true });
  for (const file of ["manywire.js", "manywire_bg.wasm"]) cpSync(join(root, "target/wasm/module", file), join(work, file));
  const manifest = JSON.parse(readFileSync(join(work, "package.json"), "utf8"));
  writeFileSync(join(work, "package.json"), JSON.stringify({ ...manifest, version }, null, 2) + "\n");
  const arguments_ = ["pack", work, "--pack-destination", folder, "--silent"];
  process.stdout.write(execFileSync("npm", arguments_, { encoding: "utf8" }));
} finally {
  rmSync(work, { recursive: true });
}
