import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { describeUnless, queryOnce, startProcess, testDatabase } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { runProgram } from './loyaltyd.js';
import { awaitEffects, ledgerSize } from './partner.js';
import { provideRelease, releaseBefore } from './releases.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased, voided } from './traffic.js';

const memberCount = 150;
type Phase = 'before' | 'beside' | 'after';

/** Each member lives through all phases, so that every lane is worked on by both releases. */
function trafficOf(phase: Phase): Emission[] {
  const members = Array.from({ length: memberCount }, (_, index) => `u-${index}`);
  const enrolments = phase === 'before' ? members.map(enrolled) : [];
  return [
    ...enrolments,
    ...members.map((member) => purchased(member, `${member}-${phase}`)),
    ...members.map((member) => granted(member, `${member}-${phase}`)),
  ];
}

const before = await releaseBefore();

describeUnless(before.commit === null ? before.why : null, 'the release before, on the schema of this one', () => {
  let harness: Harness;
  let folder: string;

  beforeAll(async () => {
    folder = await provideRelease(before.commit ?? '');
    harness = await openHarness();
  }, 900_000);

  afterAll(async () => {
    await harness.close();
  }, 60_000);

  it('delivers on under traffic while it is migrated, beside the new one, and alone on the new schema', async () => {
    const database = await testDatabase({ migrate: false });
    const env = { ...harness.environment, DATABASE_URL: database.url };
    const cli = ['apps/cli/bin/loyaltyd.js'];
    const old = (...words: readonly string[]): Promise<RunningProcess> =>
      startProcess({ command: process.execPath, args: [...cli, ...words], cwd: folder, env });
    const { broker, topics, sandboxUrl } = harness;
    let produced = 0;
    const send = async (phase: Phase): Promise<void> => {
      const emissions = trafficOf(phase);
      produced += emissions.length;
      await produce(broker, topics, emissions);
    };
    const running: RunningProcess[] = [];
    try {
      running.push(await old('start'));
      const counted = await queryOnce<{ count: string }>(database.url, 'SELECT count(*) FROM schema_migration');
      await send('before');
      await awaitEffects(sandboxUrl, memberCount + 1);
      const migrated = await runProgram(env, 'migrate');
      process.stderr.write(`upgrade from ${before.commit === null ? '' : before.name}: ${migrated.stdout}`);
      expect(migrated).toMatchObject({ code: 0, stderr: '' });
      await send('beside');
      running.push(await harness.startDaemon({ DATABASE_URL: database.url }));
      await awaitRest(database.url, produced);
      await Promise.all(running.splice(0).map((process) => process.stop()));

      // Back to the release before: nothing but its own word may keep it from starting.
      running.push(await old('start'));
      await send('after');
      await awaitRest(database.url, produced);

      const standings = await readIntentStatuses(database.url);
      expect(standings.filter(({ lastEvent }) => lastEvent !== 'AttemptApplied')).toEqual([]);
      expect(await ledgerSize(sandboxUrl)).toBe(produced);
      const now = await queryOnce<{ count: string }>(database.url, 'SELECT count(*) FROM schema_migration');
      const { violations, retailer } = await judgeHarness({ ...harness, database });
      process.stderr.write(
        `upgrade: ${counted[0]?.count} migrations before, ${now[0]?.count} after; ${produced} events, each applied once\n`,
      );
      expect(violations).toEqual([]);
      expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: produced } });
    } finally {
      await Promise.all(running.map((process) => process.stop()));
      await database.dispose();
    }
  }, 300_000);

  it('never sends a purchase whose void the new one has read: at worst it sets it aside, and is taken in afterwards', async () => {
    const own = await openHarness();
    const { broker, topics, sandboxUrl, database, environment: env } = own;
    const startNew = (): Promise<RunningProcess> => own.startDaemon({ OPS_TOKENS: apiTokens });
    const startOld = (): Promise<RunningProcess> =>
      startProcess({ command: process.execPath, args: ['apps/cli/bin/loyaltyd.js', 'start'], cwd: folder, env });
    const count = async (sql: string): Promise<number> =>
      Number((await queryOnce<{ count: string }>(database.url, `SELECT count(*) FROM ${sql}`))[0]?.count);
    const soon = { timeoutMs: 60_000, intervalMs: 100 };
    const effects = await ledgerSize(sandboxUrl);
    const running: RunningProcess[] = [];
    const stopAll = (): Promise<unknown> => Promise.all(running.splice(0).map((process) => process.stop()));
    try {
      running.push(await startNew());
      await produce(broker, topics, [enrolled('marked'), voided('marked', 'marked-1')]);
      await waitUntil(async () => (await count('cancel_mark')) === 1, { what: 'the mark', ...soon });
      await awaitEffects(sandboxUrl, effects + 1);
      await stopAll();

      running.push(await startOld());
      await produce(broker, topics, [purchased('marked', 'marked-1')]);
      const isRead = async (): Promise<boolean> =>
        (await count(`quarantine WHERE state = 'open'`)) + (await count('intent')) === 2;
      await waitUntil(isRead, { what: 'the purchase to be read by the release before', ...soon });
      const asideCount = await count(`quarantine WHERE reason = 'conflict'`);
      await stopAll();

      const daemon = await startNew();
      running.push(daemon);
      const body = { query: { reason: 'conflict' }, reason: 'the release before is gone' };
      if (asideCount > 0) {
        expect(await new ApiClient(daemon, 'admin').post('/quarantine/resubmit', body)).toMatchObject({ status: 200 });
      }
      await awaitRest(database.url, 2);
      const standings = await readIntentStatuses(database.url);
      expect(standings.map(({ lastEvent }) => lastEvent)).toEqual(['AttemptApplied', 'IntentCancelled']);
      expect(await ledgerSize(sandboxUrl)).toBe(effects + 1);
      process.stderr.write(
        `upgrade: a marked purchase was ${asideCount > 0 ? 'set aside' : 'cancelled'} by the old one\n`,
      );
    } finally {
      await stopAll();
      await own.close();
    }
  }, 300_000);
});
