import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { sourceMaps } from '../source-loader.js';

const require = createRequire(import.meta.url);

/** What jest-circus keeps between its instances; the next file's begins with none. */
const eventHandlers = Symbol.for('EVENT_HANDLERS');

let filesRun = 0;

/**
 * How a test file is loaded: by Node itself. Jest's own runtime makes every module anew for every file, also all of NestJS,
 * TypeORM and KafkaJS: 1 to 3 s each time, more than most files' tests take. Here a worker loads a module once; only
 * the test file itself and jest-circus are new for each. So a module must keep no state that a test changes, as in a daemon.
 *
 * Jest takes it by `runtime` of a project, and calls these methods only (jest-runner's runTest.ts, jest-circus' jestAdapter.ts).
 */
export default class NodeRuntime {
  constructor(_config, environment) {
    this.environment = environment;
    filesRun += 1;
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(`${pathToFileURL(path).href}?file=${filesRun}`);
  }

  requireModule(path) {
    return require(path);
  }

  requireInternalModule(path) {
    delete globalThis[eventHandlers];
    delete require.cache[path];
    return require(path);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  teardown() {
    this.environment.moduleMocker.restoreAllMocks();
  }

  setGlobalsForRuntime() {}

  enterTestCode() {}

  leaveTestCode() {}
}
