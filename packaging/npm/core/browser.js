// The package for browsers and bundlers: loads the module from beside this file, before anything is exported.
import { load } from "./core.js";

const response = await fetch(new URL("manywire_bg.wasm", import.meta.url));
if (!response.ok) throw new Error(`${response.url}: the server responded with ${response.status}`);
// Compiling from the stream would need a server that knows the media type of WebAssembly.
load(await WebAssembly.compile(await response.arrayBuffer()));

export * from "./core.js";
