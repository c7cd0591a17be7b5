// The worker of the page without a server: runs the WebAssembly module.

import initialize, * as manywire from "./manywire.js";

// The memory of a module never shrinks: one that a large payload has filled is given back with its worker.
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

let memory = null;

// Compiles the module, unless another worker has, and makes an instance of it.
async function load(module) {
  if (memory !== null) return null;
  let made = null;
  if (!module) {
    const response = await fetch(new URL("manywire_bg.wasm", import.meta.url));
    if (!response.ok) throw new Error(`manywire_bg.wasm: the server answered ${response.status}`);
    // Not compiled from the stream: that needs a server that knows the media type of WebAssembly.
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
    // The module throws plain errors. After any other, such as that of a full memory, its instance cannot be
    // used again.
    const isBroken = memory !== null && error.constructor !== Error;
    postMessage({ number, error: isBroken ? `The WebAssembly module failed: ${error.message}` : error.message, isBroken });
  }
}

let queue = Promise.resolve();
addEventListener("message", ({ data }) => {
  queue = queue.then(() => answer(data));
});
