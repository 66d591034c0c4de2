import type { TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { runMaintain } from './maintain.js';
import { answerOf } from './testing/answer-of.js';

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
INSERT INTO operator_action (at, actor, action, reason) VALUES (now() - interval '1 year', 'ada', 'pause.set', 'why');
UPDATE tally_checkpoint SET pos = 1000; UPDATE projection_checkpoint SET pos = 1000;`;

describe('loyaltyd maintain', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase();
    await query(oldLane);
  });

  afterAll(async () => {
    jest.restoreAllMocks();
    await database.dispose();
  });

  const query = (text: string): Promise<object[]> => queryOnce(database.ownerUrl, text);

  /** What the command answers: its exit code and what it writes. */
  async function answer(env: NodeJS.ProcessEnv, plan = false): Promise<[number, string]> {
    return answerOf(async () => runMaintain({ DATABASE_URL: database.ownerUrl, ...env }, { plan }));
  }

  const short = { RETENTION_INTENT_DAYS: '30', RETENTION_AUDIT_DAYS: '30' };

  it('keeps intents for longer than a year where nothing is set, and lets nobody but the owner delete', async () => {
    await query("UPDATE maintenance_run SET ended_at = '2020-01-01'");
    expect(await answer({})).toEqual([0, expect.stringContaining('0 intents (0 facts) left\n')]);
    expect(await query("SELECT ended_at > now() - interval '1 hour' AS fresh FROM maintenance_run")).toEqual([
      { fresh: true },
    ]);
    const [code, text] = await answer({ ...short, DATABASE_URL: database.url });
    expect([code, text]).toEqual([2, expect.stringContaining('who owns the tables, can let anything leave them')]);
  });

  it('counts first, and then lets leave', async () => {
    expect(await answer(short, true)).toEqual([
      0,
      '2 intents (6 facts) would leave\n1 actions of the audit would leave\n',
    ]);
    expect(await query('SELECT seq FROM intent')).toHaveLength(3);
    expect(await query('SELECT action FROM operator_action')).toEqual([{ action: 'pause.set' }]);
    const [code, text] = await answer(short);
    expect([code, text]).toEqual([0, expect.stringContaining('2 intents (6 facts) left\n')]);
    expect(text).toContain('jobs dropped, 1 actions of the audit\n');
    expect(await query('SELECT seq FROM intent')).toEqual([{ seq: 3 }]);
    expect(await query('SELECT action FROM operator_action')).toEqual([]);
  });

  it('says that a lane contradicts its facts', async () => {
    await query(oldLane.replaceAll('(1, ', '(2, ').replaceAll('SELECT 1, ', 'SELECT 2, ').replace("'m'", "'n'"));
    await query('UPDATE lane SET version = 10 WHERE lane_id = 2');
    const [code, text] = await answer(short);
    expect([code, text]).toEqual([1, expect.stringContaining('1 lanes are not what their facts say')]);
  });
});
