import { plantTree, type PlantedTree } from './planted-tree.js';

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

const libraries = [
  'contracts',
  'platform',
  'events',
  'members',
  'purchases',
  'rewards',
  'gateway',
  'intents',
  'kafka',
  'outbox',
  'operations',
];
const doors = Object.fromEntries(libraries.map((name) => [`libs/${name}/src/index.ts`, `export const ${name} = 1;\n`]));
const projectFiles = {
  ...doors,
  'libs/intents/src/core/index.ts': 'export const core = 1;\n',
  'libs/events/src/core/index.ts': 'export const eventCore = 1;\n',
  'libs/events/src/ingest/index.ts': 'export const ingest = 1;\n',
  'libs/contracts/src/shape.ts': 'export interface Shape { readonly side: number }\n',
  'libs/intents/src/ring-b.ts': "export { a } from './ring-a.js';\nexport const b = 1;\n",
  'apps/daemon/src/index.ts': 'export const daemon = 1;\n',
  'libs/intents/src/testing/index.ts': 'export const testing = 1;\n',
  'libs/kafka/src/drivers/kafkajs/index.ts': "import { Kafka } from 'kafkajs';\nexport const client = Kafka;\n",
  'migrations/index.ts': 'export const migrations = 1;\n',
  'test/support/index.ts': 'export const support = 1;\n',
  'test/checker/shape.ts': 'export interface Shape { readonly side: number }\n',
  'test/judge/case.ts': 'export interface Case { readonly n: number }\n',
};

/** One forbidden import per file, and what the rule that refuses it is called. */
const forbidden: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['libs/events/src/ingest/a.ts', "export { outbox } from '#outbox';\n", 'libs/events/src/ingest imports #contracts'],
  ['libs/events/src/ingest/b.ts', "export { gateway } from '#gateway';\n", 'libs/events/src/ingest imports #contracts'],
  ['libs/outbox/src/a.ts', "export { ingest } from '#events/ingest';\n", 'libs/outbox imports #contracts'],
  ['libs/operations/src/a.ts', "export { outbox } from '#outbox';\n", 'libs/operations imports #contracts'],
  ['libs/intents/src/a.ts', "export { gateway } from '#gateway';\n", 'libs/intents imports #contracts'],
  ['libs/gateway/src/a.ts', "export { intents } from '#intents';\n", 'libs/gateway imports #contracts'],
  ['libs/platform/src/a.ts', "export { contracts } from '#contracts';\n", 'libs/platform imports nothing of ours'],
  ['libs/contracts/src/a.ts', "export { platform } from '#platform';\n", 'libs/contracts imports nothing of ours'],
  ['libs/intents/src/core/a.ts', "export { platform } from '#platform';\n", 'libs/intents/src/core imports #contracts'],
  [
    'libs/intents/src/core/b.ts',
    "export { contracts } from '#contracts';\n",
    'libs/intents/src/core imports #contracts as types',
  ],
  ['libs/intents/src/core/c.ts', "import { z } from 'zod';\nexport const c = z;\n", 'libs/intents/src/core is pure'],
  [
    'libs/intents/src/core/d.ts',
    "import { join } from 'node:path';\nexport const d = join;\n",
    'libs/intents/src/core is pure',
  ],
  ['libs/rewards/src/a.ts', "export { purchases } from '#purchases';\n", 'libs/rewards imports #contracts'],
  ['libs/rewards/src/b.ts', "export { intents } from '#intents';\n", 'libs/rewards imports #contracts'],
  [
    'libs/members/src/route-a.ts',
    "import { join } from 'node:path';\nexport const a = join;\n",
    'what an event means is pure',
  ],
  [
    'libs/intents/src/b.ts',
    "export type { Shape } from '../../contracts/src/shape.js';\n",
    'libs/intents imports #contracts',
  ],
  [
    'libs/intents/src/c.ts',
    "export { contracts } from '../../contracts/src/index.js';\n",
    'libs/intents names other libraries by their door',
  ],
  [
    'libs/platform/src/own-door.ts',
    "export { platform } from '#platform';\n",
    'no library passes through its own door',
  ],
  ['libs/outbox/src/kafka.ts', "import { Kafka } from 'kafkajs';\nexport const kafka = Kafka;\n", 'kafkajs: only in'],
  [
    'libs/events/src/ingest/kafka.ts',
    "import type { Message } from 'kafkajs';\nexport type M = Message;\n",
    'kafkajs: only in',
  ],
  ['libs/kafka/src/outside.ts', "import { Kafka } from 'kafkajs';\nexport const kafka = Kafka;\n", 'kafkajs: only in'],
  ['libs/kafka/src/subject.ts', "export { contracts } from '#contracts';\n", 'libs/kafka imports #platform'],
  ['apps/cli/src/driver.ts', "export { client } from '#kafka/kafkajs';\n", 'apps/cli imports #contracts'],
  [
    'libs/outbox/src/message.ts',
    "import { EventPattern } from '@nestjs/microservices';\nexport const p = EventPattern;\n",
    '@nestjs/microservices: only in',
  ],
  ['libs/outbox/src/http.ts', "import axios from 'axios';\nexport const http = axios;\n", 'axios, @nestjs/axios'],
  ['libs/events/src/ingest/sql.ts', "import type { Pool } from 'pg';\nexport type P = Pool;\n", 'typeorm, pg'],
  ['apps/wallet-sandbox/src/a.ts', "export { core } from '#intents/core';\n", 'apps/wallet-sandbox imports #contracts'],
  ['apps/console/src/a.ts', "export { platform } from '#platform';\n", 'apps/console imports nothing of ours'],
  ['apps/daemon/src/a.ts', "export { support } from '#test-support';\n", 'apps/daemon imports #contracts'],
  ['migrations/a.ts', "export { intents } from '#intents';\n", 'migrations imports #platform'],
  [
    'libs/events/src/ingest/a.unit.spec.ts',
    "import '#outbox';\n",
    'a spec in libs/events/src/ingest imports no more than',
  ],
  [
    'libs/events/src/ingest/b.unit.spec.ts',
    "import '#intents/testing';\n",
    'a spec in libs/events/src/ingest imports no more than',
  ],
  [
    'libs/operations/src/testing-in-a-program.ts',
    "export { testing } from '#intents/testing';\n",
    'specs are imported by nobody',
  ],
  ['libs/intents/src/ring-a.ts', "export { b } from './ring-b.js';\nexport const a = 1;\n", 'no cycles'],
  ['libs/gateway/src/missing.ts', "export { x } from './nowhere.js';\n", 'every import resolves'],
  ['libs/gateway/src/undeclared.ts', "import ms from 'ms';\nexport const m = ms;\n", 'every package is declared'],
  [
    'libs/gateway/src/development.ts',
    "import fc from 'fast-check';\nexport const f = fc;\n",
    'programs need no development dependency',
  ],
  ['test/judge/a.ts', "export { contracts } from '#contracts';\n", 'test/judge imports nothing of ours'],
  ['test/judge/b.ts', "export type { Shape } from '../checker/shape.js';\n", 'test/judge imports nothing of ours'],
  ['test/judge/c.unit.spec.ts', "import '#test-support';\n", 'test/judge imports nothing of ours'],
  ['test/judge/d.ts', "export { collect } from './wiring/collect.js';\n", 'test/judge imports nothing of ours'],
  ['test/judge/e.ts', "import { z } from 'zod';\nexport const e = z;\n", 'test/judge imports Node alone'],
  ['test/reading/a.ts', "export type { Shape } from '../checker/shape.js';\n", 'test/reading knows neither judge'],
  [
    'libs/gateway/src/from-spec.ts',
    "import '../../events/src/ingest/a.unit.spec.js';\n",
    'specs are imported by nobody',
  ],
];

const permitted: Readonly<Record<string, string>> = {
  'libs/intents/src/core/ok.ts': "import type { contracts } from '#contracts';\nexport type C = typeof contracts;\n",
  'libs/events/src/ingest/ok.ts': "export { intents } from '#intents';\nexport { platform } from '#platform';\n",
  'libs/events/src/ingest/ok.int.spec.ts': "import '#test-support';\nimport '#migrations';\nimport 'fast-check';\n",
  'libs/operations/src/ok.int.spec.ts': "import '#intents/testing';\nimport '#test-support';\n",
  'libs/operations/src/testing/ok.ts': "export { testing } from '#intents/testing';\n",
  'apps/cli/src/ok.ts': "export { daemon } from '#daemon';\nexport { ingest } from '#events/ingest';\n",
  'test/judge/ok.ts':
    "import { join } from 'node:path';\nexport type { Case } from './case.js';\nexport const j = join;\n",
  'test/judge/wiring/collect.ts':
    "import '#contracts';\nexport type { Shape } from '../../checker/shape.js';\nexport type { Case } from '../case.js';\nexport const collect = 1;\n",
  'test/any.ts': "export { client } from '#kafka/kafkajs';\n",
  'test/any.e2e.spec.ts': "import '#daemon';\nimport '#operations';\nimport 'pg';\nimport 'kafkajs';\n",
};

describe('the import table', () => {
  let tree: PlantedTree;
  let violations: readonly Violation[];

  beforeAll(async () => {
    tree = await plantTree();
    await tree.plant({
      ...projectFiles,
      ...permitted,
      ...Object.fromEntries(forbidden.map(([file, text]) => [file, text])),
    });
    const args = [
      '--config',
      '.config/dependency-cruiser.js',
      '--output-type',
      'json',
      'apps',
      'libs',
      'migrations',
      'test',
    ];
    const { stdout } = await tree.run('node_modules/.bin/depcruise', args);
    const report = JSON.parse(stdout) as { summary: { violations: readonly Violation[] } };
    violations = report.summary.violations;
  });

  afterAll(async () => tree.remove());

  it.each(forbidden)('%s is refused: %j', (file, _text, rule) => {
    const names = violations.filter((violation) => violation.from === file).map((violation) => violation.rule.name);
    expect(names).toContainEqual(expect.stringContaining(rule));
  });

  it.each(Object.keys(permitted))('%s passes', (file) => {
    expect(violations.filter((violation) => violation.from === file)).toEqual([]);
  });

  it('ends the check with an error', async () => {
    const args = ['--config', '.config/dependency-cruiser.js', 'libs/events/src/ingest'];
    const { exitCode } = await tree.run('node_modules/.bin/depcruise', args);
    expect(exitCode).toBeGreaterThan(0);
  });
});
