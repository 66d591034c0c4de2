import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { resolve } from 'node:path';
import { project } from './lint/project-plugin.js';
import * as ban from './lint/time-and-chance.js';

/** Patterns below are relative to the folder eslint runs in: the project's root. */
const projectRoot = resolve(import.meta.dirname, '..');
const specs = ['**/*.spec.ts', 'test/**/*.ts'];
const waitingSpecs = ['**/*.int.spec.ts', '**/*.e2e.spec.ts'];
const simulated = [
  'libs/kafka/**/*.ts',
  'libs/events/**/*.ts',
  'libs/members/**/*.ts',
  'libs/purchases/**/*.ts',
  'libs/rewards/**/*.ts',
  'libs/outbox/**/*.ts',
  'libs/intents/**/*.ts',
];

/** Of functions only: a file ends where its concept ends. Blank lines and comments do not count. */
const functionLimit = (linesMax) => ({
  'max-lines-per-function': ['error', { max: linesMax, skipBlankLines: true, skipComments: true }],
});

export default defineConfig(
  globalIgnores(['dist/', 'node_modules/', '/coverage/', 'apps/console/src/api/openapi.ts']),
  { linterOptions: { reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error' } },
  eslint.configs.recommended,
  {
    plugins: { project },
    rules: {
      ...functionLimit(60),
      // An exhaustive switch on a union is one decision, however many members the union has.
      complexity: ['error', { max: 10, variant: 'modified' }],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-nested-callbacks': ['error', 3],
      eqeqeq: 'error',
      curly: ['error', 'multi-line'],
      'no-console': 'error',
      'no-implicit-coercion': 'error',
      'no-param-reassign': 'error',
      'object-shorthand': 'error',
      'prefer-template': 'error',
      'project/kebab-case-file': 'error',
      'project/reasoned-exception': 'error',
    },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: projectRoot } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        {
          allowDefaultCaseForExhaustiveSwitch: true,
          considerDefaultExhaustiveForUnions: false,
          requireDefaultForNonUnion: true,
        },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // A port promises a promise; the implementation that has nothing to await still keeps its word.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Nest modules are classes whose only content is their decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A port is an abstract class, and by that its own injection token: whatever has its shape implements it.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Both read well; which one is right depends on whether it is meant to be extended.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // A named key documents itself: `{ [brandId: string]: Brand }`.
      '@typescript-eslint/consistent-indexed-object-style': 'off',
    },
  },
  {
    files: simulated,
    ignores: waitingSpecs,
    rules: {
      'no-restricted-globals': ['error', ...ban.bannedGlobals],
      'no-restricted-properties': ['error', ...ban.bannedProperties],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: ban.bannedImports }],
      'no-restricted-syntax': ['error', ...ban.bannedSyntax],
    },
  },
  {
    files: ['libs/intents/src/core/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...ban.bannedGlobals, ...ban.impureGlobals],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: ban.bannedImports, patterns: ban.impureImports }],
      'no-restricted-syntax': ['error', ...ban.bannedSyntax, ...ban.impureSyntax],
    },
  },
  {
    // What an event means: schemas and routes; the import rules say what these may import.
    files: [
      'libs/events/src/core/{event,routing,source-event}*.ts',
      'libs/{members,purchases,rewards}/src/*{event,route,enrolment}*.ts',
    ],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', ...ban.bannedGlobals, ...ban.impureGlobals],
      'no-restricted-syntax': ['error', ...ban.bannedSyntax, ...ban.impureSyntax],
    },
  },
  {
    files: ['**/*.spec.ts'],
    rules: {
      'no-restricted-properties': ['error', ...ban.bannedMeasures],
      'no-restricted-syntax': ['error', ...ban.bannedMeasureSyntax],
    },
  },
  {
    files: simulated.map((pattern) => pattern.replace('*.ts', '*.spec.ts')),
    ignores: waitingSpecs,
    rules: {
      'no-restricted-properties': ['error', ...ban.bannedMeasures, ...ban.bannedProperties],
      'no-restricted-syntax': ['error', ...ban.bannedMeasureSyntax, ...ban.bannedSyntax],
    },
  },
  {
    // Specs are lists of cases: long by nature, and a `describe` is one function around them all.
    files: specs,
    rules: {
      ...functionLimit(300),
      'max-nested-callbacks': ['error', 5],
      // `expect(port.method)` names a method without calling it.
      '@typescript-eslint/unbound-method': 'off',
      // A spec states what it knows; where it is wrong the test fails at that line.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['apps/console/src/**/*.ts', 'apps/console/src/**/*.tsx'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      // `onClick={async () => ...}`: React awaits nothing, and what fails there is shown by the query that failed.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    },
  },
  {
    // Markup is long, and one screen is read from top to bottom.
    files: ['apps/console/src/**/*.tsx'],
    rules: functionLimit(90),
  },
  {
    // The text of a migration is SQL, one table after another; splitting it would hide the order.
    files: ['migrations/**/*.ts'],
    rules: functionLimit(300),
  },
  {
    // Programs that speak to a terminal.
    files: ['apps/cli/**', 'test/bench/**', 'test/support/**', 'test/schema/**', '.ci/**'],
    rules: { 'no-console': 'off' },
  },
);
