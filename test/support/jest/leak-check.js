import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { watchTimers } from './timer-watch.js';

/** How long what a test file closed may take to be gone: a Kafka client ends what it has begun, with its own pauses. */
const settleMsDefault = 20_000;
const settleIntervalMs = 10;

/** Made on first use, whoever that is; they belong to the process, not to a test file. */
const standardStreams = new Set([process.stdout, process.stderr]);

/** Jest makes it for whoever imports `node:process`, as commander does: it looks at everything that a module exports. */
const isStandardInput = ({ fd }) => fd === 0;

/** Sockets, servers, child processes and watchers that keep this process alive. */
const activeHandles = () =>
  process._getActiveHandles().filter((handle) => !standardStreams.has(handle) && !isStandardInput(handle));

/** What can be told of a socket that has no peer: a pipe, or one that is still connecting or on its way out. */
const loneSocketText = ({ _handle: handle, connecting, destroyed, _host: host }) =>
  `socket (${handle?.constructor.name ?? 'closed'}${connecting ? `, connecting to ${host}` : ''}${destroyed ? ', destroyed' : ''})`;

const handleText = (handle) => {
  if (handle.spawnargs !== undefined) return `process (${handle.spawnargs.join(' ').slice(0, 80)})`;
  if (handle.remotePort !== undefined) return `socket (to ${handle.remoteAddress}:${handle.remotePort})`;
  if (handle.listening === true) return `server (${JSON.stringify(handle.address())})`;
  return handle.constructor.name === 'Socket' ? loneSocketText(handle) : handle.constructor.name.toLowerCase();
};

const timerText = (timer) => `timer (${timer._idleTimeout} ms)`;

/**
 * Fails a test file that leaves a socket, server, child process or timer behind which keeps the process alive: what
 * one file leaks makes another one fail later, and a daemon that leaks the same never ends.
 */
export class LeakCheck {
  constructor({ settleMs = settleMsDefault }) {
    this.settleMs = settleMs;
  }

  begin() {
    this.timers = watchTimers(globalThis);
    this.handlesBefore = new WeakSet(activeHandles());
  }

  leaks() {
    const handles = activeHandles().filter((handle) => !this.handlesBefore.has(handle));
    return [...handles.map(handleText), ...this.timers.alive().map(timerText)];
  }

  async settledLeaks() {
    const deadline = performance.now() + this.settleMs;
    while (this.leaks().length > 0 && performance.now() < deadline) await delay(settleIntervalMs);
    return this.leaks();
  }

  async errors() {
    const leaks = await this.settledLeaks();
    return leaks.length === 0
      ? []
      : [new Error(`This test file leaves open: ${leaks.join(', ')}. Close it in afterAll.`)];
  }

  end() {
    this.timers.end();
  }
}
