/** Tests run as ES modules on the sources themselves; swc strips the types, `#library` resolves by the same subpath imports as in production. */
const shared = {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['loyaltyd-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
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

export default {
  ...shared,
  testMatch: ['<rootDir>/{apps,libs,migrations,test}/**/*.spec.ts'],
};
