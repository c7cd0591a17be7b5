// The worker of the page without a server: runs the WebAssembly module.

import initialize, * as manywire from "./manywire.js";

// The size of a module's memory beyond which its worker is replaced: this memory never shrinks.
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

let memory = null;

// Compiles the module, unless another worker has, and makes an instance of it.
async function load(module) {
  if (memory !== null) return null;
  let made = null;
  if (!module) {
    const response = await fetch(new URL("manywire_bg.wasm", import.meta.url));
    if (!response.ok) throw new Error(`manywire_bg.wasm: the server responded with ${response.status}`);
    // Compiling from the stream would need a server that knows the media type of WebAssembly.
    made = await WebAssembly.compile(await response.arrayBuffer());
  }
  ({ memory } = await initialize({ module_or_path: module ?? made }));
  return made;
}

async function answer({ number, name, request, module }) {
  try {
    const made = await load(module);
    const text = name === "start" ? manywire.start() : manywire.view(JSON.stringify(request));
    postMessage({ number, text, module: made, isSpent: memory.buffer.byteLength > MEMORY_BYTES_MAX });
  } catch (error) {
    // The module throws plain errors. After any other error, such as the one of a full memory, the
    // instance of the module cannot be used again.
    const isBroken = memory !== null && error.constructor !== Error;
    postMessage({ number, error: isBroken ? `The WebAssembly module failed: ${error.message}` : error.message, isBroken });
  }
}

let queue = Promise.resolve();
addEventListener("message", ({ data }) => {
  queue = queue.then(() => answer(data));
});
