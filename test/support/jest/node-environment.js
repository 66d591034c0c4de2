import { ModernFakeTimers } from '@jest/fake-timers';
import fc from 'fast-check';
import { ModuleMocker } from 'jest-mock';
import { LeakCheck } from './leak-check.js';

/**
 * Properties are tried with the same cases in every run: whether a change is green must not depend on the day.
 * `PROPERTY_SEED=random npm test` looks elsewhere; a number tries that seed.
 */
const defaultSeed = 20_261_121;
const wanted = process.env.PROPERTY_SEED ?? String(defaultSeed);
const propertySettings = wanted === 'random' ? {} : { seed: Number(wanted) };

const timeoutOfTests = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** What test files use of the `jest` object, in the realm of Node itself. */
const jestObject = (mocker, timers) => ({
  setTimeout: (ms) => {
    globalThis[timeoutOfTests] = ms;
  },
  fn: (implementation) => mocker.fn(implementation),
  spyOn: (object, method, access) => mocker.spyOn(object, method, access),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
});

/**
 * A test file runs in the worker's own realm, beside modules that earlier files have loaded (node-runtime.js). What it
 * changes of the process is put back after it: variables of the environment, globals, the folder. What it
 * leaves open fails it (leak-check.js).
 */
export default class NodeEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.leakCheck = new LeakCheck(projectConfig.testEnvironmentOptions);
    this.testTimeoutMs = projectConfig.globals.testTimeoutMs;
    this.before = { console: globalThis.console, exit: process.exit, env: { ...process.env }, folder: process.cwd() };
  }

  async setup() {
    this.leakCheck.begin();
    fc.configureGlobal(propertySettings);
    globalThis.jest = jestObject(this.moduleMocker, this.fakeTimersModern);
    // Jest heeds `testTimeout` only for all projects at once.
    globalThis[timeoutOfTests] = this.testTimeoutMs;
  }

  async handleTestEvent(event, state) {
    if (event.name === 'run_finish') state.unhandledErrors.push(...(await this.leakCheck.errors()));
  }

  async teardown() {
    const { console, exit, env, folder } = this.before;
    this.leakCheck.end();
    this.fakeTimersModern.dispose();
    globalThis.console = console;
    process.exit = exit;
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }

  /** Jest asks for the method; nothing is run in a context of its own. */
  getVmContext() {
    return null;
  }
}
