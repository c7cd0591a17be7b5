'use strict';

// The lane as a process that is driven by frames, as the orchestrator does.

const { spawn } = require('child_process');
const path = require('path');

const coroutine = require('../src/coroutine');

const ROOT = path.join(__dirname, '..');

function frame(content) {
  const bytes = Buffer.from(content);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(bytes.length, 0);
  return Buffer.concat([head, bytes]);
}

class LaneProcess {
  constructor() {
    this.child = spawn(process.execPath, ['--expose-gc', 'src/main.js'], { cwd: ROOT });
    this.out = Buffer.alloc(0);
    this.err = '';
    this.wake = () => {};
    this.child.stdout.on('data', (chunk) => {
      this.out = Buffer.concat([this.out, chunk]);
      this.wake();
    });
    this.child.stderr.on('data', (chunk) => {
      this.err += chunk;
    });
    // A lane that has ended does not read its input.
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.child.on('close', (status, signal) => {
        this.isClosed = true;
        this.wake();
        resolve({ status, signal, out: this.out, err: this.err });
      });
    });
  }

  /** Returns a promise of that many bytes of the output. */
  take(count) {
    return new Promise((resolve, reject) => {
      this.wake = () => {
        if (this.out.length >= count) {
          this.wake = () => {};
          const bytes = this.out.slice(0, count);
          this.out = this.out.slice(count);
          resolve(bytes);
        } else if (this.isClosed) reject(new Error(`the lane died: ${this.err}`));
      };
      this.wake();
    });
  }

  receive() {
    return this.take(4).then((head) => this.take(head.readUInt32BE(0)));
  }

  /** Returns the head of the response. */
  ask(request, frames) {
    this.child.stdin.write(Buffer.concat([frame(JSON.stringify(request))].concat((frames || []).map(frame))));
    return this.receive().then((bytes) => JSON.parse(bytes.toString()));
  }

  /** Returns the response to a request that must succeed. */
  get(request, frames) {
    return this.ask(request, frames).then((answer) => {
      if (!answer.ok) throw new Error(`${request.verb} of ${request.subject}: ${JSON.stringify(answer)}`);
      return answer.ok;
    });
  }

  subjects() {
    return this.get({ verb: 'describe' }).then((said) => said.subjects);
  }

  load(subject, payloads) {
    return this.ask({ verb: 'load', subject, payloads: payloads.length }, payloads);
  }

  /** Sends bytes and closes the input. */
  end(raw) {
    this.child.stdin.end(raw || Buffer.alloc(0));
    return this.ended;
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}

/** Returns the output of a subject, or the error. */
LaneProcess.prototype.encode = coroutine(function* (subject) {
  const answer = yield this.ask({ verb: 'encode', subject });
  if (answer.error) return answer;
  const written = [];
  for (let left = answer.ok.payloads; left > 0; left--) written.push(yield this.receive());
  return { written };
});

/** Returns a test that runs a generator function with a lane. */
function withLane(body) {
  return coroutine(function* () {
    const lane = new LaneProcess();
    try {
      return yield coroutine(body)(lane);
    } finally {
      lane.kill();
    }
  });
}

const nameOf = (subject) => `${subject.library} ${subject.format} ${subject.target}`;

module.exports = { LaneProcess, ROOT, frame, nameOf, withLane };
