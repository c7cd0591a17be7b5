// The Node.js lane: responds to the requests of CONTRACT.md until the end of its input.

import { deflate, inflate } from "./coding.mjs";
import { digest } from "./digest.mjs";
import { fetch } from "./fetch.mjs";
import { FrameReader, writeFrames } from "./frames.mjs";
import { collected, memory, run } from "./meter.mjs";
import { Service as HttpService } from "./serve.mjs";
import { avro } from "./subjects/avro.mjs";
import { bson } from "./subjects/bson.mjs";
import { cbor } from "./subjects/cbor.mjs";
import { json } from "./subjects/json.mjs";
import { msgpack } from "./subjects/msgpack.mjs";
import { protobuf } from "./subjects/protobuf.mjs";
import { version } from "./version.mjs";
import { Service as ZeromqService } from "./zeromq.mjs";

const SUBJECTS = [...json, ...msgpack, ...cbor, ...protobuf, ...avro, ...bson];

const schema = {};
const loaded = new Map();
const frames = new FrameReader(process.stdin);

const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

function subject(request) {
  const found = loaded.get(request.subject);
  if (!found) throw new Error(`subject ${request.subject} has no payloads`);
  return found;
}

const operations = {
  encode: ({ coder, values }) => [coder.encode, values],
  decode: ({ coder, bytes }) => [coder.decode, bytes],
  "encode gzip": ({ coder, values }) => [(value) => deflate(coder.encode(value)), values],
  "decode gzip": ({ coder, bytes }) => [(packed) => coder.decode(inflate(packed)), bytes.map(deflate)],
};

function operation(request) {
  const name = request.coding ? `${request.operation} ${request.coding}` : request.operation;
  if (!Object.hasOwn(operations, name)) throw new Error(`unknown operation ${name}`);
  return operations[name](subject(request));
}

/** Runs a batch. An invalid index would be measured as the operation on `undefined`. */
function runBatch(request) {
  const [apply, inputs] = operation(request);
  const { window, repeats } = request;
  if (!Array.isArray(window) || !window.every((index) => isCount(index) && index < inputs.length)) {
    throw new Error(`window is ${JSON.stringify(window)}, expected a list of numbers of the ${inputs.length} payloads`);
  }
  if (!isCount(repeats)) throw new Error(`repeats is ${JSON.stringify(repeats)}, expected a whole number`);
  return run(apply, inputs, window, repeats);
}

const Service = process.argv.includes("zeromq") ? ZeromqService : HttpService;
let service = null;

const zeromq = `zeromq ${version("zeromq")}`;

const verbs = {
  describe: () => ({
    contract: 1,
    lane: "node",
    runtime: `Node.js ${process.versions.node}`,
    subjects: SUBJECTS.map(({ library, version, format, target }) => ({ library, version, format, target, buffer: "fresh" })),
    http: { server: "node:http", client: "node:http", codings: ["gzip"] },
    zeromq: { server: zeromq, client: zeromq, codings: ["gzip"] },
  }),
  schema: (request, [descriptors]) => {
    Object.assign(schema, request, { descriptors });
    return {};
  },
  load: (request, payloads) => {
    loaded.delete(request.subject);
    if (!isCount(request.subject) || request.subject >= SUBJECTS.length) throw new Error(`no subject ${request.subject}`);
    // Copies the payloads, so that none keeps a chunk of the pipe alive or is unaligned.
    const bytes = payloads.map((payload) => Buffer.from(payload));
    const coder = SUBJECTS[request.subject].prepare(schema);
    loaded.set(request.subject, { coder, bytes, values: bytes.map((each) => coder.decode(each)) });
    return {};
  },
  digest: (request) => {
    const { coder, values } = subject(request);
    const plain = coder.plain ?? ((value) => value);
    return { digests: values.map((value) => digest(plain(value))) };
  },
  encode: (request) => {
    const { coder, values } = subject(request);
    // Some libraries return parts of a buffer that they reuse.
    const written = values.map((value) => Buffer.from(coder.encode(value)));
    return { ok: { payloads: written.length }, frames: written };
  },
  run: runBatch,
  memory: (request) => memory(...operation(request)),
  serve: async (request) => {
    if (service) throw new Error("the server is already running");
    const offers = request.offers.map((offer) => ({ mediaType: offer.media_type, ...subject(offer) }));
    service = new Service(offers);
    return { port: await service.listen() };
  },
  served: async () => {
    if (!service) throw new Error("the server is not running");
    const { user, system } = process.cpuUsage();
    return { requests: service.answered, cpu_ns: (user + system) * 1000, collections: await collected() };
  },
  fetch: (request) => fetch(subject(request).coder, request),
};

/** Returns the number of frames that follow a request. If it is unknown, so is the start of the next request. */
function following(request) {
  if (request.verb === "schema") return 1;
  if (request.verb !== "load") return 0;
  if (!isCount(request.payloads)) {
    throw new Error(`payloads is ${JSON.stringify(request.payloads)}, expected the number of frames that follow`);
  }
  return request.payloads;
}

async function execute(request, payloads) {
  if (!Object.hasOwn(verbs, request.verb)) return [{ error: `unknown verb ${request.verb}` }];
  try {
    const result = await verbs[request.verb](request, payloads);
    return result.frames ? [{ ok: result.ok }, ...result.frames] : [{ ok: result }];
  } catch (error) {
    return [{ error: error.message }];
  }
}

for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
  const request = JSON.parse(frame.toString());
  const payloads = [];
  for (let count = following(request); count > 0; count--) {
    const payload = await frames.next();
    if (payload === null) throw new Error(`the input ends before the frames of ${request.verb}`);
    payloads.push(payload);
  }
  const [head, ...rest] = await execute(request, payloads);
  writeFrames(process.stdout, [Buffer.from(JSON.stringify(head)), ...rest]);
}
// An open server would keep the process alive.
service?.close();
