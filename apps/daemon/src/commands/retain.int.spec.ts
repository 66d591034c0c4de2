import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { runRetain } from './retain.js';

/** A member whose first two intents were delivered a year ago, and the third is the last enrolment. */
const oldLane = `
INSERT INTO member (lane_id, program_id, member_id, created_at) VALUES (1, 'tea', 'm', now());
INSERT INTO lane (lane_id, program_id, version, head_seq, tail_seq, cur_seq, issue_seq, pass)
VALUES (1, 'tea', 9, 4, 3, 4, 3, 'known');
INSERT INTO intent (lane_id, seq, version, operation, dedup_key, payload, event_type, occurred_at, broker_at, recorded_at,
  topic, partition, kafka_offset, programs_hash)
SELECT 1, seq, seq, CASE seq WHEN 3 THEN 'issue' ELSE 'transaction' END, '', '', '', at, at, at, 't', 0, seq, ''
FROM generate_series(1, 3) AS seq, (SELECT now() - interval '1 year' AS at) t;
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at)
SELECT 1, seq, 2 + seq * 2 + ended, 1, 1, CASE ended WHEN 0 THEN 'AttemptBegun' ELSE 'AttemptApplied' END,
  now() - interval '1 year'
FROM generate_series(1, 3) AS seq, generate_series(0, 1) AS ended ORDER BY 1, 2, 3;
UPDATE tally_checkpoint SET pos = 1000; UPDATE projection_checkpoint SET pos = 1000;`;

describe('loyaltyd retain', () => {
  let database: TestDatabase;
  let folder: string;

  beforeAll(async () => {
    database = await testDatabase();
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-retain-'));
    await query(oldLane);
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
    await database.dispose();
  });

  const query = (text: string): Promise<object[]> => queryOnce(database.ownerUrl, text);

  /** What the command answers: its exit code and what it writes. */
  async function answer(env: NodeJS.ProcessEnv, plan = false): Promise<[number, string]> {
    let text = '';
    const write = (chunk: unknown): boolean => {
      text += String(chunk);
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(write);
    jest.spyOn(process.stderr, 'write').mockImplementation(write);
    const code = await runRetain({ DATABASE_URL: database.url, ...env }, { plan });
    jest.restoreAllMocks();
    return [code, text];
  }

  it('keeps intents where nothing is set, and needs a folder where something is', async () => {
    expect(await answer({})).toEqual([0, expect.stringContaining('0 intents (0 facts) left for 0 files')]);
    const [code, text] = await answer({ RETENTION_INTENT_DAYS: '30' });
    expect([code, text]).toEqual([2, expect.stringContaining('RETENTION_ARCHIVE_DIR: required')]);
  });

  it('counts first, and then lets leave', async () => {
    const env = { RETENTION_INTENT_DAYS: '30', RETENTION_ARCHIVE_DIR: folder };
    expect(await answer(env, true)).toEqual([0, '2 intents (6 facts) would leave\n']);
    expect(await readdir(folder)).toEqual([]);
    const [code, text] = await answer(env);
    expect([code, text]).toEqual([0, expect.stringContaining('2 intents (6 facts) left for 1 files')]);
    expect(await readdir(folder)).toHaveLength(2);
    expect(await query('SELECT seq FROM intent')).toEqual([{ seq: 3 }]);
  });

  it('says that another process is at it, also on a machine that is minutes ahead, and that a lane contradicts its truth', async () => {
    await query("UPDATE retention_run SET owner = gen_random_uuid(), leased_until = now() + interval '1 minute'");
    expect(await answer({})).toEqual([3, 'another process is at it\n']);
    const real = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => real() + 600_000);
    expect(await answer({})).toEqual([3, 'another process is at it\n']);
    await query('UPDATE retention_run SET owner = NULL');
    await query(oldLane.replaceAll('(1, ', '(2, ').replaceAll('SELECT 1, ', 'SELECT 2, ').replace("'m'", "'n'"));
    await query("UPDATE lane SET pass = 'absent' WHERE lane_id = 2");
    const [code, text] = await answer({ RETENTION_INTENT_DAYS: '30', RETENTION_ARCHIVE_DIR: folder });
    expect([code, text]).toEqual([1, expect.stringContaining('1 lanes are not what their truth says')]);
  });
});
