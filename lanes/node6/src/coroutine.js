'use strict';

// Node.js 6 has no async functions. A generator that yields promises reads the same.

/** Returns a function that runs a generator function and returns the promise of its result. */
module.exports = function coroutine(generatorFunction) {
  return function () {
    const generator = generatorFunction.apply(this, arguments);
    return new Promise((resolve, reject) => {
      function step(method, value) {
        let result;
        try {
          result = generator[method](value);
        } catch (error) {
          reject(error);
          return;
        }
        if (result.done) {
          resolve(result.value);
          return;
        }
        Promise.resolve(result.value).then((next) => step('next', next), (error) => step('throw', error));
      }
      step('next');
    });
  };
};
