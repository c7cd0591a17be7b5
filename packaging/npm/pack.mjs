// Packs the npm packages: the package of a binary's platform, and the launcher that depends on it.
// usage: node packaging/npm/pack.mjs BINARY FOLDER
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [binary, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node packaging/npm/pack.mjs BINARY FOLDER");
  process.exit(2);
}
const version = execFileSync(binary, ["--version"], { encoding: "utf8" }).trim().split(" ")[1];
const launcher = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "manywire");
const manifest = JSON.parse(readFileSync(join(launcher, "package.json"), "utf8"));
const work = mkdtempSync(join(tmpdir(), "manywire-npm-"));

// Writes a package's manifest and packs its folder. Prints the name of the file.
function pack(path, content) {
  writeFileSync(join(path, "package.json"), JSON.stringify(content, null, 2) + "\n");
  const arguments_ = ["pack", path, "--pack-destination", folder, "--silent"];
  process.stdout.write(execFileSync("npm", arguments_, { encoding: "utf8" }));
}

try {
  const platform = join(work, "platform");
  mkdirSync(join(platform, "bin"), { recursive: true });
  const file = process.platform === "win32" ? "manywire.exe" : "manywire";
  cpSync(binary, join(platform, "bin", file));
  pack(platform, {
    name: `@manywire/cli-${process.platform}-${process.arch}`,
    version,
    description: `The binary of manywire for ${process.platform} on ${process.arch}`,
    license: manifest.license,
    os: [process.platform],
    cpu: [process.arch],
    files: ["bin"],
    preferUnplugged: true,
  });

  const own = join(work, "manywire");
  cpSync(launcher, own, { recursive: true });
  const platforms = Object.keys(manifest.optionalDependencies);
  const optionalDependencies = Object.fromEntries(platforms.map((name) => [name, version]));
  pack(own, { ...manifest, version, optionalDependencies });
} finally {
  rmSync(work, { recursive: true });
}
