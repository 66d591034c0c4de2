import type { TestStore } from '#intents/testing';
import { testStore } from '#intents/testing';
import { migrations } from '#migrations';
import { createDataSource } from '#platform';

import { Replaying, audit } from '../testing/replaying.js';
import { startReplay, steerReplay } from './replay-store.js';

const added = ['started_at', 'started_by', 'start_reason', 'turn_at', 'settled', 'failed', 'counts'];

describe('the migration of replays that were begun before it', () => {
  let store: TestStore;

  beforeEach(async () => {
    store = await testStore(4);
  });

  afterEach(() => store.close());

  /** Takes away what the migration adds, and migrates once more. */
  async function migrateAgain(): Promise<void> {
    const Migration = migrations.find(({ name }) => name.startsWith('ReplayStarts'));
    if (Migration === undefined) throw new Error('no such migration');
    const named = { url: store.url, applicationName: 'intents-spec', onPoolError: () => undefined };
    const source = createDataSource({ ...named, poolSize: 1, ssl: false, migrations: [] });
    await source.initialize();
    const runner = source.createQueryRunner();
    await runner.query(`ALTER TABLE replay ${added.map((column) => `DROP COLUMN ${column}`).join(', ')}`);
    await new Migration().up(runner);
    await runner.release();
    await source.destroy();
  }

  const standing = (): Promise<object[]> =>
    store.sql(`SELECT replay_id, started_at, started_by, start_reason, settled, failed FROM replay ORDER BY replay_id`);

  it('finds who started them, and how far their canary is', async () => {
    const replaying = new Replaying(store);
    await replaying.withParked(14);
    await replaying.create({ replayId: 'going', isDryRun: true, isCanary: true });
    const bob = { ...audit, actor: 'bob', reason: 'it is mended' };
    await startReplay(store.database, {
      replayId: 'going',
      ratePerSecond: null,
      isCanary: null,
      audit: bob,
      role: 'admin',
    });
    await replaying.turn();
    await replaying.tryAll(() => 'refused');
    await replaying.turn();
    await steerReplay(store.database, { replayId: 'going', steering: 'resume', audit, role: 'admin' });
    await replaying.turn();
    await replaying.tryAll(() => 'delivered');
    await replaying.turn();
    await replaying.tryAll(() => 'refused', 1);
    await replaying.turn();
    await replaying.create({ replayId: 'planned', isDryRun: true });
    const before = await standing();
    expect(before).toMatchObject([
      { replay_id: 'going', started_by: 'bob', start_reason: 'it is mended', settled: 2, failed: 1 },
      { replay_id: 'planned', started_at: null, started_by: null, start_reason: null, settled: 0, failed: 0 },
    ]);
    await migrateAgain();
    expect(await standing()).toEqual(before);
  });
});
