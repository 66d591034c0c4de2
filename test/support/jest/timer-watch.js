import { AsyncLocalStorage } from 'node:async_hooks';

const sweepAfter = 1_000;

/** The test file that a call chain began in: what an earlier file left running goes on under that one's name. */
const origin = new AsyncLocalStorage();

const isAlive = (timer) => timer !== undefined && !timer._destroyed && timer.hasRef();

/**
 * Replaces `setTimeout` and `setInterval` of one test file's global object by ones that remember their timers. Counting
 * the timers of the process would not do: jest starts and ends some of its own meanwhile. To be called where the file's own
 * calls begin.
 */
export const watchTimers = (global) => {
  let timers = [];
  const file = {};
  origin.enterWith(file);
  const remembered = (start) => {
    const wrapped = (...args) => {
      const timer = start(...args);
      if (origin.getStore() === file) timers.push(new WeakRef(timer));
      if (timers.length % sweepAfter === 0) timers = timers.filter((each) => isAlive(each.deref()));
      return timer;
    };
    // The promise form of util.promisify hangs on the function as a property.
    return Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(start));
  };
  const { setTimeout, setInterval } = global;
  global.setTimeout = remembered(setTimeout);
  global.setInterval = remembered(setInterval);
  const alive = () => timers.map((each) => each.deref()).filter(isAlive);
  return { alive, end: () => Object.assign(global, { setTimeout, setInterval }) };
};
