import { resolve } from 'node:path';

const rootDir = resolve(import.meta.dirname, '..');

/** Tests run as ES modules on the sources themselves, which Node loads once a worker: test/support/jest/node-runtime.js. */
const shared = {
  rootDir,
  runtime: '<rootDir>/test/support/jest/node-runtime.js',
  testEnvironment: '<rootDir>/test/support/jest/node-environment.js',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Only how jest finds out which test files a change concerns.
  moduleNameMapper: { '^(\\.{1,2}/(?!.*node_modules).*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

/** Kafka and Postgres are started by the first test file that asks for them; a run without such files waits for nothing. */
const withInfrastructure = {
  globalSetup: '<rootDir>/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.js',
};

/** The suffix tells what a test costs. Its timeout ends what hangs; it measures nothing: test files share the processors. */
const specs = (cost, testTimeoutMs) => ({
  ...shared,
  displayName: cost,
  testMatch: [`<rootDir>/{apps,libs,migrations,test}/**/*.${cost}.spec.ts`],
  globals: { testTimeoutMs },
});

/** End-to-end specs that carry the promise: `npm test` runs these, `npm run test:all` the others as well. */
const stories = [
  // Never lost, never twice, in order: killed in the middle, and when the answer does not come.
  'test/e2e/kill-in-the-middle.e2e.spec.ts',
  'test/e2e/unknown-outcomes.e2e.spec.ts',
  // Nothing that comes in is lost, however bad it is.
  'test/e2e/quarantine.e2e.spec.ts',
  // An ordinary owner of a database can install it.
  'test/e2e/migrations.e2e.spec.ts',
  // People see what is stuck, and replay it.
  'test/e2e/operator-commands.e2e.spec.ts',
  // The README's first command.
  'test/e2e/demo.e2e.spec.ts',
].map((path) => `<rootDir>/${path}`);

const endToEnd = { ...specs('e2e', 600_000), ...withInfrastructure };

export default {
  rootDir,
  testSequencer: '<rootDir>/.config/costly-first.js',
  maxWorkers: 3,
  // Modules of past files stay in a worker's memory: a worker of more than 1 GB ends too late to be taken for ended.
  workerIdleMemoryLimit: '700MB',
  reporters: ['default', '<rootDir>/test/support/jest/end-of-run-reporter.js'],
  projects: [
    specs('unit', 120_000),
    { ...specs('int', 300_000), ...withInfrastructure },
    { ...endToEnd, displayName: 'story', testMatch: stories },
    { ...endToEnd, testPathIgnorePatterns: ['/node_modules/', ...stories] },
    // Worlds and corpora: minutes of one processor, nothing from outside.
    specs('sim', 600_000),
  ],
};
