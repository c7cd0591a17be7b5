'use strict';

// The lane of Node.js 6: responds to the requests of CONTRACT.md until the end of its input.

const coroutine = require('./coroutine');
const fetch = require('./fetch');
const { FrameReader, writeFrames } = require('./frames');
const Loaded = require('./loaded');
const { cpuNanoseconds, memory, run } = require('./meter');
const requests = require('./requests');
const { Offer, Service } = require('./serve');
const SUBJECTS = require('./subjects');

const FRAMES_MAX = Math.pow(2, 32);

const loaded = new Map();
let schema = null;
// The subjects by index that can read and write payloads of the schema.
const prepared = new Map();
let service = null;

/** Returns a subject that can read and write payloads of the schema. */
function prepare(index) {
  if (!prepared.has(index)) {
    const subject = SUBJECTS[index];
    prepared.set(index, subject.prepare ? Object.assign({}, subject, subject.prepare(schema)) : subject);
  }
  return prepared.get(index);
}

function loadedSubject(request) {
  const index = requests.whole(request, 'subject', SUBJECTS.length);
  if (!loaded.has(index)) throw new Error(`subject ${index} has no payloads; send them with \`load\``);
  return loaded.get(index);
}

const verbs = {
  describe: () => ({
    contract: 1,
    lane: 'node6',
    runtime: `Node.js ${process.versions.node}`,
    subjects: SUBJECTS.map(({ library, version, format, target }) => ({ library, version, format, target, buffer: 'fresh' })),
    http: { server: 'http', client: 'http', codings: ['gzip'] },
  }),
  schema(request) {
    schema = request;
    prepared.clear();
    return {};
  },
  load(request, payloads) {
    const index = requests.whole(request, 'subject', SUBJECTS.length);
    loaded.delete(index);
    loaded.set(index, new Loaded(prepare(index), payloads));
    return {};
  },
  digest: (request) => ({ digests: loadedSubject(request).digests() }),
  encode(request) {
    const written = loadedSubject(request).encode();
    return { ok: { payloads: written.length }, frames: written };
  },
  run(request) {
    const found = loadedSubject(request);
    const name = requests.oneOf(request, 'operation', ['encode', 'decode']);
    const operation = found.operation(name, requests.codingOf(request));
    const window = requests.windowOf(request, found.bytes.length);
    const repeats = requests.whole(request, 'repeats', Number.MAX_SAFE_INTEGER);
    return run(operation.execute, operation.inputs, window, repeats);
  },
  memory(request) {
    const found = loadedSubject(request);
    const name = requests.oneOf(request, 'operation', ['encode', 'decode']);
    if (!found.subject.hasMemory) return { allocs: null, alloc_bytes: null, peak_bytes: null };
    const operation = found.operation(name, null);
    return memory(operation.execute, operation.inputs, operation.sizes);
  },
  serve(request) {
    if (service) throw new Error('the server is already running');
    const offers = requests.offersOf(request).map((offer) => new Offer(offer.media_type, loadedSubject(offer)));
    service = new Service(offers);
    return service.listen().then((port) => ({ port }));
  },
  served() {
    if (!service) throw new Error('the server is not running');
    return { requests: service.answered, cpu_ns: cpuNanoseconds(), collections: null };
  },
  fetch: (request) => fetch(loadedSubject(request), requests.fetchOf(request)),
};

/** Parses a request. After an invalid one, the start of the next is unknown. */
function parse(frame) {
  const request = JSON.parse(frame.toString());
  if (request === null || typeof request !== 'object' || Array.isArray(request)) {
    throw new Error('a request is not a JSON object');
  }
  return request;
}

/** Returns the number of frames that follow a request. */
function following(request) {
  if (request.verb === 'schema') return 1;
  if (request.verb !== 'load') return 0;
  return requests.whole(request, 'payloads', FRAMES_MAX);
}

const execute = coroutine(function* (request, payloads) {
  if (!Object.prototype.hasOwnProperty.call(verbs, request.verb)) {
    return [{ error: `unknown verb ${requests.show(request.verb)}, expected one of ${Object.keys(verbs).join(', ')}` }];
  }
  try {
    const result = yield verbs[request.verb](request, payloads);
    return result.frames ? [{ ok: result.ok }].concat(result.frames) : [{ ok: result }];
  } catch (error) {
    return [{ error: error.message || String(error) }];
  }
});

const main = coroutine(function* () {
  const frames = new FrameReader(process.stdin);
  for (let frame = yield frames.next(); frame !== null; frame = yield frames.next()) {
    const request = parse(frame);
    const payloads = [];
    for (let left = following(request); left > 0; left--) {
      const payload = yield frames.next();
      if (payload === null) throw new Error(`the input ends before the frames of "${request.verb}"`);
      payloads.push(payload);
    }
    const answer = yield execute(request, payloads);
    writeFrames(process.stdout, [Buffer.from(JSON.stringify(answer[0]))].concat(answer.slice(1)));
  }
});

// An open server would keep the process alive. Output to a pipe is synchronous.
main().then(() => process.exit(0), (error) => {
  process.stderr.write(`the lane cannot continue: ${error.message}\n`);
  process.exit(1);
});
