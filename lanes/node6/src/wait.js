'use strict';

// Waits for instants of the clock. Timers have a resolution of a millisecond, and Node.js 6 has no threads
// that can sleep more exactly. Therefore the event loop spins for the last milliseconds before an instant,
// and reads responses between turns.

const { milliseconds } = require('./meter');

// The approximate maximum delay of a timer.
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
