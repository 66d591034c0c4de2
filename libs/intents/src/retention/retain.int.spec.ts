import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IntentEvent } from '#domain';
import { queryOnce } from '#test-support';

import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { countIntents } from '../tallies/count-intents.js';
import { begin, claim, claimOne, completion, deliverOne, leaseOf, record, stepOf } from '../testing/lease.js';
import type { LaneRow, TestEvent } from '../testing/records.js';
import {
  cancelling,
  enrolment,
  now,
  personal,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
} from '../testing/records.js';
import { Retaining } from '../testing/retaining.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';
import { planRetention } from './retain.js';
import { dayMs, leaseRetention } from './retention-run.js';

let store: TestStore;
let till: Till;
let retaining: Retaining;

beforeEach(async () => {
  store = await testStore(2);
  till = new Till(store);
  retaining = await Retaining.open(store);
});

afterEach(async () => {
  await retaining.close();
  await store.close();
});

const rejected: IntentEvent = { type: 'AttemptRejected', at: now, attempt: 1, code: 'refused' };
const parked: IntentEvent = { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' };

async function parkOne(): Promise<void> {
  const lease = await begin(store, await claimOne(store));
  await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [rejected, parked] }) }));
}

/** Enrolled, two purchases delivered, one cancelled. */
async function aLife(member = 'm'): Promise<void> {
  await till.record(enrolment(`e-${member}`, member), purchase(`p-${member}`, member), purchase(`q-${member}`, member));
  await till.record(purchase(`r-${member}`, member), cancelling(`v-${member}`, member, purchaseKey(`r-${member}`)));
  for (let left = 3; left > 0; left -= 1) await deliverOne(store);
  await settleIdle();
}

/** What was cancelled at the end of a lane is stepped over at its next claim. */
async function settleIdle(): Promise<void> {
  for (const lane of await claim(store)) {
    const lease = leaseOf(lane);
    await record(store, stepOf(lease, { completion: completion(lease, 'settle', { events: [] }) }));
  }
}

async function lanes(): Promise<Partial<LaneRow>[]> {
  return store.sql(
    `SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state, owner
     FROM lane ORDER BY lane_id`,
  );
}

async function seqs(): Promise<number[]> {
  return (await store.sql<{ seq: number }>('SELECT seq FROM intent ORDER BY lane_id, seq')).map(({ seq }) => seq);
}

describe('intents that are old enough', () => {
  beforeEach(() => aLife());

  it('leave for a file that holds their rows as they were, and a manifest', async () => {
    const before = await store.sql<{ row: object }>(
      `SELECT to_json(i) AS row FROM intent i WHERE seq > 1 UNION ALL SELECT to_json(e) FROM intent_history e WHERE seq > 1`,
    );
    expect(await planRetention({ database: store.database, clock: { now: () => retaining.at } }, 30)).toMatchObject({
      intents: 0,
    });
    const report = await retaining.run();
    expect(report).toMatchObject({ intents: 3, facts: before.length, lanesBusy: 0, lanesDiffering: 0, heldBy: null });
    const [file = ''] = report.files;
    expect(await retaining.files()).toEqual([file, `${file}.manifest.json`]);
    const rows = await retaining.rowsIn(file);
    expect(rows.map(({ row }) => row)).toEqual(expect.arrayContaining(before.map(({ row }) => row)));
    expect(rows).toHaveLength(before.length);
    const text = await readFile(join(retaining.folder, file));
    expect(text.includes(personal)).toBe(false);
    const manifest = JSON.parse(await readFile(join(retaining.folder, `${file}.manifest.json`), 'utf8')) as object;
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(manifest).toMatchObject({ file, intents: 3, lines: before.length, bytes: text.length, sha256 });
    expect(await store.sql('SELECT file, encode(sha256, $1) AS sha256, intents FROM archive', 'hex')).toEqual([
      { file, sha256, intents: 3 },
    ]);
    expect(await seqs()).toEqual([1]);
  });

  it('change nothing of the lane, of what is counted, nor of a lane that is rebuilt', async () => {
    const before = { lanes: await lanes(), counts: await countIntents(store.database) };
    await retaining.run();
    const after = await countIntents(store.database);
    expect(await lanes()).toEqual(before.lanes);
    expect(after.map(({ recorded, byStatus }) => [recorded, byStatus.delivered, byStatus.cancelled])).toEqual([
      [1, 1, 0],
      [3, 2, 1],
    ]);
    await rebuildLanes(store.owned, retaining.at);
    expect(await lanes()).toEqual(before.lanes);
    expect(await countIntents(store.database)).toEqual(after);
  });

  it('are known when they come again, and when something refers to them', async () => {
    await retaining.run();
    const again = await till.recordOutcomes(purchase('p-m', 'm'), purchase('p-again', 'm', 'p-m'));
    expect(again).toEqual(['duplicate-event', 'duplicate-business-key']);
    const late = await till.record(
      cancelling('late', 'm', purchaseKey('p-m')),
      cancelling('twice', 'm', purchaseKey('r-m')),
    );
    expect(late.results).toMatchObject([{ reason: 'void-after-delivery' }, { reason: 'nothing-to-cancel' }]);
  });

  it.each([
    ['p-m', 'delivered', 'm'],
    ['r-m', 'gone', 'm'],
    ['p-m', 'delivered', 'other'],
    ['r-m', 'gone', 'other'],
  ])('answer a refund that comes later: %s is %s, also to %s', async (of, status, memberId) => {
    await retaining.run();
    const intents = [transactionIntent(memberId, `refund-${of}`, { waitsFor: purchaseKey(of) })];
    const told = purchase('refund', memberId);
    const refund: TestEvent = { ...told, verdict: { ...told.verdict, intents } };
    await till.record(refund);
    const [lane] = await claim(store);
    expect([...(lane?.intents.values() ?? [])].map(({ waitsFor }) => waitsFor)).toMatchObject([{ status }]);
  });

  it('leave one after the other, with the lane going on meanwhile', async () => {
    await retaining.run();
    await till.record(purchase('s', 'm'), purchase('t', 'm'));
    await deliverOne(store);
    expect(await retaining.run()).toMatchObject({ intents: 1, lanesDiffering: 0 });
    expect(await seqs()).toEqual([1, 6]);
    await deliverOne(store);
    const before = await lanes();
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before.map((lane) => ({ ...lane, owner: null })));
    expect(await retaining.run()).toMatchObject({ intents: 1, lanesDiffering: 0 });
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before.map((lane) => ({ ...lane, owner: null })));
  });

  it('cannot be rebuilt from where truth is missing', async () => {
    await retaining.run();
    await store.sql('ALTER TABLE intent_event DISABLE TRIGGER USER');
    await store.sql("DELETE FROM intent_event WHERE seq = 1 AND type = 'AttemptApplied'");
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow('its history must hold 3 facts up to version 11');
    await till.record(purchase('s', 'm'), purchase('t', 'm'));
    await store.sql('ALTER TABLE intent DISABLE TRIGGER USER');
    await store.sql('DELETE FROM intent WHERE seq = 5');
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow(
      'lacks version 12 behind its checkpoint at version 11',
    );
  });
});

describe('what stays', () => {
  it('is what is recent', async () => {
    await aLife();
    retaining.at = now + 29 * dayMs;
    expect(await retaining.run()).toMatchObject({ intents: 0, files: [] });
    expect(await retaining.files()).toEqual([]);
  });

  it('is what is not settled, needs a person, or is waited for', async () => {
    const waiting = transactionIntent('m', 'refund', { waitsFor: purchaseKey('p') });
    const refund = { ...purchase('f', 'm'), verdict: { ...purchase('f', 'm').verdict, intents: [waiting] } };
    await till.record(purchase('p', 'm'), purchase('q', 'm'), purchase('r', 'm'), refund);
    await deliverOne(store);
    await parkOne();
    await deliverOne(store);
    expect(await retaining.run()).toMatchObject({ intents: 1 });
    expect(await seqs()).toEqual([1, 2, 4]);
  });

  it('is what an open replay names', async () => {
    await aLife();
    await store.sql(
      `INSERT INTO job (job_id, kind, request, reason, state, created_at, created_by)
       VALUES ('r', 'replay', '{}', 'x', 'paused', '2026-01-01', 'ada')`,
    );
    await store.sql(
      `INSERT INTO job_item (job_id, ordinal, lane_id, seq, forecast, overtaken) SELECT 'r', 1, lane_id, 2, 'x', 0 FROM lane`,
    );
    expect(await retaining.run()).toMatchObject({ intents: 2 });
    expect(await seqs()).toEqual([1, 2]);
  });

  it('is everything while an export is not over, and what nobody has read to the end', async () => {
    await aLife();
    await store.sql(
      `INSERT INTO job (job_id, kind, request, reason, state, created_at, created_by)
       VALUES ('x1', 'export', '{}', 'x', 'paused', '2026-01-01', 'ada')`,
    );
    expect(await retaining.run()).toMatchObject({ intents: 0, heldBy: 'the export x1 is not over' });
    await store.sql("UPDATE job SET state = 'done'");
    await store.sql('UPDATE tally_checkpoint SET pos = 1000');
    await store.sql("UPDATE projection_checkpoint SET pos = 3 WHERE name = 'outcomes'");
    const plan = await planRetention({ database: store.database, clock: { now: () => retaining.at } }, 30);
    expect(plan.intents).toBe(0);
  });

  it('is a lane whose row is not what its truth says', async () => {
    await aLife();
    await store.sql('UPDATE lane SET version = version + 1');
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesDiffering: 1 });
    expect(await seqs()).toHaveLength(4);
  });

  it('is a lane that is leased; and one process at a time is at it', async () => {
    await aLife();
    await till.record(purchase('s', 'm'));
    await claimOne(store);
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesBusy: 1 });
    const mine = { owner: '00000000-0000-4000-8000-00000000000a', now: retaining.at, since: retaining.at };
    expect(await leaseRetention(store.database, mine)).toBe(true);
    await expect(retaining.run()).rejects.toThrow('a run is under way');
  });
});

describe('the truth tables', () => {
  /** As a session of the owner's that has got hold of the setting. */
  async function whilePurging(text: string): Promise<unknown> {
    return queryOnce(store.url, `SELECT set_config('loyaltyd.purge', 'covered', true); ${text}`);
  }

  beforeEach(async () => {
    await aLife();
    await store.sql(
      `INSERT INTO archive (file, sha256, bytes, intents, facts, first_pos, last_pos, archived_at)
       VALUES ('f', '\\x00', 1, 1, 1, 1, 1, '2026-01-01')`,
    );
  });

  async function refusals(): Promise<void> {
    for (const table of ['intent', 'intent_event']) {
      for (const seq of [1, 2]) {
        const refused = { code: '23000' };
        await expect(whilePurging(`DELETE FROM ${table} WHERE seq = ${seq}`)).rejects.toMatchObject(refused);
        await expect(whilePurging(`UPDATE ${table} SET version = 7`)).rejects.toMatchObject(refused);
      }
    }
  }

  it('let nothing go that is in no file, or behind no checkpoint, whatever the session says', async () => {
    await refusals();
    await store.sql("INSERT INTO lane_archive SELECT lane_id, 1, '{2}', '{}' FROM lane");
    await refusals();
    await store.sql("INSERT INTO lane_checkpoint SELECT lane_id, 1, 1, '{}', '{}', '2026-01-01' FROM lane");
    await refusals();
    await store.sql('UPDATE lane_checkpoint SET version = 11');
    await expect(store.sql('DELETE FROM intent WHERE seq = 2')).rejects.toMatchObject({ sqlState: '23000' });
    await expect(whilePurging('DELETE FROM intent WHERE seq = 1')).rejects.toMatchObject({ code: '23000' });
    expect(await store.sql('SELECT purge_covered(lane_id, 1)::text AS gone FROM lane')).toEqual([{ gone: '(1,2)' }]);
    expect(await seqs()).toEqual([1, 3, 4]);
  });

  it('keep what says what left', async () => {
    await store.sql("INSERT INTO lane_checkpoint SELECT lane_id, 5, 1, '{}', '{}', '2026-01-01' FROM lane");
    await store.sql("INSERT INTO lane_archive SELECT lane_id, 1, '{2}', '{}' FROM lane");
    for (const text of [
      'UPDATE lane_checkpoint SET version = 4',
      'DELETE FROM lane_checkpoint',
      'TRUNCATE lane_checkpoint',
      "UPDATE lane_archive SET seqs = '{3}'",
      'DELETE FROM lane_archive',
      'DELETE FROM archive',
    ]) {
      await expect(store.sql(text)).rejects.toMatchObject({ sqlState: '23000' });
    }
  });
});

describe('what else is kept for a time', () => {
  it('forgets identities whose intents have left, and those of what became nothing', async () => {
    await aLife();
    const count = async (): Promise<number> =>
      (await store.sql<{ count: number }>('SELECT count(*) AS count FROM dedup'))[0]?.count ?? 0;
    expect(await retaining.run({ dedupDays: 101 })).toMatchObject({ intents: 3, identities: 0 });
    const before = await count();
    const { identities } = await retaining.run({ dedupDays: 99 });
    expect(identities).toBeGreaterThan(0);
    expect(await count()).toBe(before - identities);
    const left = await store.sql<{ seq: number | null }>('SELECT DISTINCT seq FROM dedup');
    expect(left).toEqual([{ seq: 1 }]);
    const purchases = await till.record(purchase('p-m', 'm'), enrolment('e-m', 'm'));
    expect(purchases.results).toMatchObject([{ kind: 'recorded' }, { kind: 'ignored' }]);
  });

  /** `a` is open, `d` has just been dealt with. */
  async function setAside(): Promise<void> {
    for (const [id, state] of [
      ['a', 'open'],
      ['b', 'discarded'],
      ['c', 'resubmitted'],
      ['d', 'discarded'],
    ] as const) {
      await store.sql(
        `WITH q AS (INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, value_bytes, broker_at, recorded_at, state)
           VALUES ($1, 0, 0, 'invalid', '', '', 1, '2026-01-01', '2026-01-01', $2) RETURNING quarantine_id)
         INSERT INTO quarantine_settlement (quarantine_id, at, actor, reason, result)
         SELECT quarantine_id, $3::timestamptz, 'ada', 'x', 'discarded' FROM q WHERE $2 <> 'open'`,
        ...[id, state, new Date(id === 'd' ? retaining.at : now).toISOString()],
      );
    }
  }

  it('drops records that somebody dealt with, and no other', async () => {
    await setAside();
    expect(await retaining.run({ quarantineDays: 30 })).toMatchObject({ quarantined: 2 });
    expect(await store.sql('SELECT topic FROM quarantine ORDER BY 1')).toEqual([{ topic: 'a' }, { topic: 'd' }]);
    expect(await store.sql('SELECT count(*) AS count FROM quarantine_settlement')).toEqual([{ count: 1 }]);
  });

  it('keeps a record until its dead letter is published, and drops both where none is', async () => {
    await setAside();
    await store.sql('INSERT INTO dead_letter_outbox SELECT quarantine_id FROM quarantine');
    expect(await retaining.run({ quarantineDays: 30 })).toMatchObject({ quarantined: 0 });
    expect(await retaining.run({ quarantineDays: 30, hasDeadLetters: false })).toMatchObject({ quarantined: 2 });
    expect(
      await store.sql('SELECT topic FROM dead_letter_outbox JOIN quarantine USING (quarantine_id) ORDER BY 1'),
    ).toEqual([{ topic: 'a' }, { topic: 'd' }]);
    expect(await store.sql('SELECT count(*) AS count FROM dead_letter_outbox')).toEqual([{ count: 2 }]);
  });
});
