import { resolve } from 'node:path';

const rootDir = resolve(import.meta.dirname, '..');

/** Tests run as ES modules on the sources themselves; swc strips the types, `#library` resolves by the same subpath imports as in production. */
const shared = {
  rootDir,
  testEnvironment: '<rootDir>/test/support/jest/leak-checking-environment.js',
  testEnvironmentOptions: { customExportConditions: ['loyaltyd-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/(?!.*node_modules).*)\\.js$': '$1',
    '^fast-check$': '<rootDir>/test/support/jest/seeded-fast-check.js',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2024',
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

/** Kafka and Postgres are started by the first test file that asks for them; a run without such files waits for nothing. */
const withInfrastructure = {
  globalSetup: '<rootDir>/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.js',
};

/** The suffix tells what a test costs. */
const specs = (cost) => ({
  displayName: cost,
  testMatch: [`<rootDir>/{apps,libs,migrations,test}/**/*.${cost}.spec.ts`],
});

export default {
  rootDir,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/test/support/jest/left-out-reporter.js'],
  projects: [
    { ...shared, ...specs('unit') },
    {
      ...shared,
      ...specs('int'),
      ...withInfrastructure,
      setupFilesAfterEnv: ['<rootDir>/test/support/jest/int-timeout.js'],
    },
    {
      ...shared,
      ...specs('e2e'),
      ...withInfrastructure,
      setupFilesAfterEnv: ['<rootDir>/test/support/jest/e2e-timeout.js'],
    },
  ],
};
