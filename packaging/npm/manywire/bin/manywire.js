#!/usr/bin/env node
// Starts the binary of this platform, which npm installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `@manywire/cli-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "manywire.exe" : "manywire";

let binary;
try {
  binary = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `manywire: the package ${name} is not installed. Either npm was told to leave out optional ` +
      "dependencies (install again with --include=optional), or there is no build for this platform " +
      "(cargo install manywire-cli compiles one).",
  );
  process.exit(127);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends an interrupt to both processes. Other signals reach only this one.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`manywire: ${binary}: ${error.message}`);
  process.exit(126);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + os.constants.signals[signal] : code);
});
