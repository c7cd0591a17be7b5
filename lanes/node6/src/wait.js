'use strict';

// Waits for instants of the clock. Timers have a resolution of a millisecond, and Node.js 6 has no threads
// that could sleep more exactly: before an instant, the event loop turns until it is there. It reads
// responses between turns.

const { milliseconds } = require('./meter');

// The maximum delay of a timer, about.
const TIMER_MS = 2;

/** Returns a promise that is fulfilled at an instant. */
module.exports = function until(instant) {
  return new Promise((resolve) => {
    function turn() {
      const left = instant - milliseconds();
      if (left <= 0) resolve();
      else if (left > TIMER_MS) setTimeout(turn, Math.floor(left - TIMER_MS));
      else setImmediate(turn);
    }
    turn();
  });
};
