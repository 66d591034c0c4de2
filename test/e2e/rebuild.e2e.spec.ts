import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { programCommand, queryOnce } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { awaitEffects, breakPartner, ledgerSize } from './partner.js';
import { awaitRest } from './store.js';
import { enrolled, granted, produce, purchased, refunded } from './traffic.js';

const run = promisify(execFile);
const members = Array.from({ length: 60 }, (_, index) => `m-${index}`);

/** Everything of a lane but its lease and its counters: these begin anew. */
const lanesQuery = `
SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state
FROM lane ORDER BY lane_id`;

describe('loyaltyd rebuild', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  async function rebuild(): Promise<string> {
    const { command, args } = programCommand('apps/cli/src/main.ts');
    const env = { ...process.env, DATABASE_URL: harness.database.ownerUrl };
    return (await run(command, [...args, 'rebuild'], { env })).stdout;
  }

  it('recreates every lane of a troubled run, and nothing is sent again', async () => {
    const { broker, topics, database, sandboxUrl } = harness;
    const rules = ['issue', 'transaction', 'reward'].flatMap((operation) =>
      ['drop-after', 'error-after', 'drop-before'].map((kind) => ({ operation, kind, probability: 0.1, count: 8 })),
    );
    await breakPartner(sandboxUrl, rules, 3);
    // Rewards come before the enrolments: their lanes wait, and are overtaken.
    const traffic = [
      ...members.map((memberId) => granted(memberId, `g-${memberId}`)),
      ...members.map((memberId) => purchased(memberId, `${memberId}-p`)),
      ...members.map((memberId) => refunded(memberId, `${memberId}-p`, `${memberId}-r`)),
      ...members.slice(0, 50).map(enrolled),
    ];
    const daemon = await harness.startDaemon();
    await produce(broker, topics, traffic);
    await awaitEffects(sandboxUrl, 150);
    expect(await daemon.stop()).toMatchObject({ code: 0 });
    const before = await queryOnce(database.url, lanesQuery);
    expect(await rebuild()).toMatch(/^rebuilt 60 lanes from \d+ facts\n$/);
    expect(await queryOnce(database.url, lanesQuery)).toEqual(before);

    await harness.startDaemon();
    await produce(broker, topics, members.slice(50).map(enrolled));
    await awaitRest(database.url, traffic.length + 10);
    const effects = await ledgerSize(sandboxUrl);
    const parked = await queryOnce(database.url, "SELECT 1 FROM intent_history WHERE type = 'IntentParked'");
    expect(effects).toBeGreaterThanOrEqual(traffic.length + 10 - parked.length);
    expect(effects).toBeLessThanOrEqual(traffic.length + 10);
  });
});
