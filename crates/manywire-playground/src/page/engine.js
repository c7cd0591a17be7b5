// The engine of the page: makes views, by the endpoints of `manywire play`.
//
// The page in a static folder has an engine of the same form, which needs no server: see `static/`.

const GONE = "The server does not answer. Is `manywire play` still running?";

// Sends a request, and returns the response if it is a success.
async function send(path, init) {
  let response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    throw error instanceof TypeError ? new Error(GONE) : error;
  }
  if (response.ok) return response;
  let reason = `The server answered ${response.status}.`;
  try {
    const problem = await response.json();
    reason = problem.detail || problem.title || reason;
  } catch {
    // An answer without a problem in JSON says no more than its status.
  }
  throw new Error(reason);
}

const post = (path, request, accept, signal) => send(path, {
  method: "POST",
  headers: { "content-type": "application/json", accept },
  body: JSON.stringify(request),
  signal,
});

// Returns the state of the page when it opens.
export async function start() {
  const response = await send("start", { headers: { accept: "application/json" } });
  return response.json();
}

// Returns the view of a payload.
export async function view(request, signal) {
  const response = await post("view", request, "application/json", signal);
  return response.json();
}

// Measures a payload, and yields the events of the measurement.
export async function* weigh(request, signal) {
  const response = await post("weigh", request, "text/event-stream", signal);
  for await (const data of events(response.body)) yield JSON.parse(data);
}

// Yields the data of each event of a stream.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { value, done } = await reader.read();
    rest += value ?? "";
    const parts = rest.split(/\r?\n\r?\n/);
    rest = parts.pop();
    if (done && rest.trim() !== "") parts.push(rest);
    for (const part of parts) {
      const data = part.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).replace(/^ /, ""));
      if (data.length > 0) yield data.join("\n");
    }
    if (done) return;
  }
}
