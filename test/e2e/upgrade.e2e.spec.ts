import type { RunningProcess } from '#test-support';
import { describeUnless, queryOnce, startProcess, testDatabase } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { runProgram } from './loyaltyd.js';
import { awaitEffects, ledgerSize } from './partner.js';
import { provideRelease, releaseBefore } from './releases.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased } from './traffic.js';

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
  });

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
  });
});
