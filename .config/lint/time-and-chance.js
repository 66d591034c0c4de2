/**
 * Time, ids and randomness enter ingest, delivery, intents and domain as data (ports `Clock` and `Random` of #platform),
 * so that the whole daemon can run in a seeded simulation and no pod's own clock decides a lease.
 */
const usePorts = 'Take it from the ports Clock and Random of #platform: a simulation must be able to replay this code.';

const randomNames = [
  'randomUUID',
  'randomUUIDv7',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'generateKey',
  'generateKeySync',
  'webcrypto',
];

export const bannedGlobals = [
  'performance',
  'setTimeout',
  'setInterval',
  'clearTimeout',
  'clearInterval',
  'crypto',
].map((name) => ({ name, message: usePorts }));

export const bannedProperties = [
  ['Date', 'now'],
  ['Math', 'random'],
  ['performance', 'now'],
  ['process', 'hrtime'],
  ['process', 'uptime'],
  ['AbortSignal', 'timeout'],
  ...['globalThis', 'global'].flatMap((holder) =>
    ['setTimeout', 'setInterval', 'crypto', 'performance'].map((property) => [holder, property]),
  ),
].map(([object, property]) => ({ object, property, message: usePorts }));

const measured =
  'A spec decides nothing by time or memory: await a condition, count, use VirtualClock, or measure it in test/bench or test/drill/soak.';

/** In all specs: test files share the processors and the collector. */
export const bannedMeasures = [
  ['performance', 'now'],
  ['performance', 'eventLoopUtilization'],
  ...['memoryUsage', 'cpuUsage', 'resourceUsage', 'hrtime', 'uptime'].map((property) => ['process', property]),
  ...['globalThis', 'global'].flatMap((holder) => ['performance', 'gc'].map((property) => [holder, property])),
].map(([object, property]) => ({ object, property, message: measured }));

export const bannedMeasureSyntax = [
  {
    selector:
      'CallExpression[callee.name="expect"] CallExpression[callee.object.name="Date"][callee.property.name="now"]',
    message: measured,
  },
  {
    selector: ':matches(ImportDeclaration, ExportNamedDeclaration)[source.value=/^(?:node:)?(?:v8|perf_hooks)$/]',
    message: measured,
  },
];

export const bannedImports = [
  ...['node:crypto', 'crypto'].map((name) => ({ name, importNames: randomNames, message: usePorts })),
  ...['node:timers', 'timers', 'node:timers/promises', 'timers/promises', 'node:perf_hooks', 'perf_hooks'].map(
    (name) => ({ name, message: usePorts }),
  ),
];

/** The database's own clock and chance, by every name that Postgres gives them. */
const sqlTime =
  '(?<![.\\w])(?:(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|random|gen_random_uuid|uuidv7|pg_sleep)\\s*\\(|current_(?:date|time|timestamp)\\b|local(?:time|timestamp)\\b)';
const sqlMessage = 'SQL takes the time and ids as parameters ($n) from the ports Clock and Random of #platform.';

export const bannedSyntax = [
  { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: usePorts },
  { selector: 'CallExpression[callee.name="Date"]', message: usePorts },
  { selector: `Literal[value=/${sqlTime}/i]`, message: sqlMessage },
  { selector: `TemplateElement[value.raw=/${sqlTime}/i]`, message: sqlMessage },
];

const pure = 'a decision is plain functions over data: no waiting, no effects.';

/** On top of the above, for libs/intents/src/core and what an event means. */
export const impureSyntax = [
  { selector: 'AwaitExpression', message: pure },
  { selector: ':function[async=true]', message: pure },
  { selector: 'ForOfStatement[await=true]', message: pure },
  { selector: 'ImportExpression', message: pure },
];

export const impureGlobals = ['process', 'fetch', 'console', 'queueMicrotask', 'setImmediate', 'Buffer', 'Promise'].map(
  (name) => ({ name, message: pure }),
);

/** libs/intents/src/core imports its own files, and #contracts as types. */
export const impureImports = [
  {
    regex: '^(?!\\.{1,2}/|#contracts$)',
    message: 'libs/intents/src/core imports neither npm nor node: nor another library.',
  },
  { regex: '^#contracts$', allowTypeImports: true, message: 'libs/intents/src/core imports #contracts as types only.' },
];
