import { join } from 'node:path';
import { plantTree, type PlantedTree } from './planted-tree.js';

interface LintResult {
  readonly filePath: string;
  readonly messages: readonly { readonly ruleId: string | null; readonly line: number }[];
}

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);
const functionOf = (bodyLines: number): string =>
  `export function long(): number {\n  let sum = 0;\n${lines(bodyLines - 2, '  sum += 1;')}  return sum;\n}\n`;
const cases = (count: number): string => {
  const branchesText = Array.from({ length: count }, (_, index) => `    case ${index}: return n;\n`).join('');
  return `export function pick(n: number): number {\n  switch (n) {\n${branchesText}    default: return 0;\n  }\n}\n`;
};
const branches = (count: number): string =>
  `export function many(n: number): number {\n${lines(count, '  if (n > 1) return n;')}  return 0;\n}\n`;

/** One violation per file, and the rule that has to name it. */
const refused: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['libs/events/src/ingest/date-now.ts', 'export const at = Date.now();\n', 'no-restricted-properties'],
  ['libs/events/src/ingest/new-date.ts', 'export const at = new Date();\n', 'no-restricted-syntax'],
  ['libs/events/src/ingest/timer.ts', 'setTimeout(() => undefined, 1);\n', 'no-restricted-globals'],
  ['libs/outbox/src/math-random.ts', 'export const jitter = Math.random();\n', 'no-restricted-properties'],
  ['libs/outbox/src/global-timer.ts', 'globalThis.setInterval(() => undefined, 1);\n', 'no-restricted-properties'],
  ['libs/outbox/src/abort.ts', 'export const s = AbortSignal.timeout(1);\n', 'no-restricted-properties'],
  ['libs/outbox/src/clock.ts', 'export const p = performance;\n', 'no-restricted-globals'],
  [
    'libs/intents/src/uuid.ts',
    "import { randomUUID } from 'node:crypto';\nexport const id = randomUUID();\n",
    '@typescript-eslint/no-restricted-imports',
  ],
  [
    'libs/intents/src/sleep.ts',
    "export { setTimeout as sleep } from 'node:timers/promises';\n",
    '@typescript-eslint/no-restricted-imports',
  ],
  ['libs/intents/src/sql-now.ts', 'export const sql = `select 1 where due_at <= now()`;\n', 'no-restricted-syntax'],
  ['libs/outbox/src/sql-clock.ts', "export const sql = 'select clock_timestamp()';\n", 'no-restricted-syntax'],
  ['libs/events/src/ingest/spec-too.unit.spec.ts', 'export const at = Date.now();\n', 'no-restricted-properties'],
  ['libs/platform/src/timed.unit.spec.ts', 'export const at = performance.now();\n', 'no-restricted-properties'],
  ['libs/events/src/ingest/timed.int.spec.ts', 'export const at = performance.now();\n', 'no-restricted-properties'],
  [
    'libs/events/src/ingest/weighed.unit.spec.ts',
    'export const m = process.memoryUsage();\n',
    'no-restricted-properties',
  ],
  ['libs/gateway/src/weighed.e2e.spec.ts', 'export const m = process.memoryUsage.rss();\n', 'no-restricted-properties'],
  ['libs/gateway/src/worked.unit.spec.ts', 'export const c = process.cpuUsage();\n', 'no-restricted-properties'],
  ['libs/gateway/src/timed.sim.spec.ts', 'export const t = process.hrtime.bigint();\n', 'no-restricted-properties'],
  ['libs/gateway/src/late.unit.spec.ts', 'expect(Date.now() - 1).toBeLessThan(2);\n', 'no-restricted-syntax'],
  ['libs/gateway/src/heap.unit.spec.ts', "export { getHeapStatistics } from 'node:v8';\n", 'no-restricted-syntax'],
  [
    'libs/events/src/ingest/sql.unit.spec.ts',
    "export const sql = 'select clock_timestamp()';\n",
    'no-restricted-syntax',
  ],
  ['libs/intents/src/core/clock.ts', 'export const at = Date.now();\n', 'no-restricted-properties'],
  [
    'libs/intents/src/core/wait.ts',
    'export const wait = async (): Promise<void> => undefined;\n',
    'no-restricted-syntax',
  ],
  ['libs/intents/src/core/node.ts', "export { join } from 'node:path';\n", '@typescript-eslint/no-restricted-imports'],
  ['libs/platform/src/long-function.ts', functionOf(62), 'max-lines-per-function'],
  ['libs/platform/src/complex.ts', branches(10), 'complexity'],
  [
    'libs/platform/src/wide.ts',
    'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
    'max-params',
  ],
  [
    'libs/platform/src/deep.ts',
    'export function deep(n: number): number {\n  if (n > 1) { if (n > 2) { if (n > 3) { if (n > 4) return 5; } } }\n  return n;\n}\n',
    'max-depth',
  ],
  [
    'libs/platform/src/floating.ts',
    'const work = async (): Promise<number> => Promise.resolve(1);\nwork();\n',
    '@typescript-eslint/no-floating-promises',
  ],
  [
    'libs/platform/src/any.ts',
    'export const x = (value: any): unknown => value;\n',
    '@typescript-eslint/no-explicit-any',
  ],
  [
    'libs/platform/src/switch.ts',
    "export function s(k: 'a' | 'b'): void {\n  switch (k) {\n    case 'a':\n      return;\n  }\n}\n",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  ['libs/platform/src/CamelCase.ts', 'export const a = 1;\n', 'project/kebab-case-file'],
  [
    'libs/platform/src/silent.ts',
    '// eslint-disable-next-line no-console\nconsole.log(1);\n',
    'project/reasoned-exception',
  ],
];

const accepted: Readonly<Record<string, string>> = {
  'libs/events/src/ingest/given-date.ts': 'export const at = (epochMs: number): Date => new Date(epochMs);\n',
  'libs/events/src/ingest/real-time.int.spec.ts': 'export const at = Date.now();\n',
  'libs/platform/src/measure.ts': 'export const at = performance.now();\n',
  'libs/events/src/ingest/hash.ts':
    "import { createHash } from 'node:crypto';\nexport const hash = createHash('sha256');\n",
  'libs/intents/src/sql.ts': 'export const sql = `select known(1), renow(2) from lanes where due_at <= $1`;\n',
  'libs/platform/src/clock.ts': 'export const at = Date.now();\n',
  'libs/platform/src/long-switch.ts': cases(20),
  'libs/platform/src/long-file.ts': lines(500, '// line'),
  'libs/platform/src/full-function.ts': functionOf(58),
  'libs/platform/src/reasoned.ts': '// eslint-disable-next-line no-console -- shown to the planter\nconsole.log(1);\n',
};

describe('the lint rules of the project', () => {
  let tree: PlantedTree;
  let results: readonly LintResult[];

  beforeAll(async () => {
    tree = await plantTree();
    await tree.plant({ ...accepted, ...Object.fromEntries(refused.map(([file, text]) => [file, text])) });
    const { stdout } = await tree.run('node_modules/eslint/bin/eslint.js', [
      '--config',
      '.config/eslint.config.js',
      '--format',
      'json',
      'libs',
    ]);
    results = JSON.parse(stdout) as readonly LintResult[];
  }, 600_000);

  afterAll(async () => tree.remove());

  const rulesAgainst = (file: string): readonly (string | null)[] => {
    const result = results.find(({ filePath }) => filePath === join(tree.root, file));
    if (result === undefined) throw new Error(`${file} was not linted`);
    return [...new Set(result.messages.map(({ ruleId }) => ruleId))];
  };

  it.each(refused)('%s is refused', (file, _text, rule) => {
    expect(rulesAgainst(file)).toContain(rule);
  });

  it.each(Object.keys(accepted))('%s passes', (file) => {
    expect(rulesAgainst(file)).toEqual([]);
  });
});
