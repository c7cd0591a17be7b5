// The engine of the page without a server: makes views in a worker, by the same code as the command,
// compiled to WebAssembly.
//
// The worker answers one request after the other and cannot be interrupted. A request that is no longer
// wanted ends its worker, and a new worker with the module that is compiled already answers the others.

// The page without a server does not measure, because measuring needs separate processes.
export const weigh = null;

let compiled = null;
let worker = null;
let last = 0;
// The calls without an answer, by their numbers.
const waiting = new Map();

function launch() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => {
    if (data.module) compiled = data.module;
    const call = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.error === undefined) call?.resolve(data.text);
    else call?.reject(new Error(data.error));
    if (data.isBroken || (data.isSpent && waiting.size === 0)) replace();
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    fail(`The WebAssembly module cannot be run: ${event.message || "its files cannot be loaded"}`);
  });
}

const post = (number, { name, request }) => {
  if (worker === null) launch();
  worker.postMessage({ number, name, request, module: compiled });
};

// Ends the worker. A new one answers the calls that wait, if there are any.
function replace() {
  worker.terminate();
  worker = null;
  for (const [number, call] of waiting) post(number, call);
}

// Ends the worker and all calls.
function fail(reason) {
  const calls = [...waiting.values()];
  waiting.clear();
  replace();
  for (const call of calls) call.reject(new Error(reason));
}

async function call(name, request, signal) {
  signal?.throwIfAborted();
  last += 1;
  const number = last;
  const text = await new Promise((resolve, reject) => {
    const call = { name, request, resolve, reject };
    waiting.set(number, call);
    post(number, call);
    signal?.addEventListener("abort", () => {
      if (!waiting.delete(number)) return;
      reject(signal.reason);
      // A worker that is still loading the module goes on: the next one would load it again.
      if (compiled !== null) replace();
    }, { once: true });
  });
  return JSON.parse(text);
}

// Returns the state of the page when it opens.
export const start = () => call("start");

// Returns the view of a payload.
export const view = (request, signal) => call("view", request, signal);
