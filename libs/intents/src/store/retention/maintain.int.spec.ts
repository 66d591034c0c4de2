import type { IdentityPlace, IntentEvent } from '#intents/core';
import { queryOnce } from '#test-support';

import { loadCommands } from '../operator/load-commands.js';
import { AuditRepository } from '../operator/operator-action.js';
import { reissuePass } from '../passes/reissue-pass.js';
import { rebuildLanes } from '../rebuild/rebuild-lanes.js';
import { countIntents } from '../tallies/count-intents.js';
import {
  applied,
  begin,
  claim,
  claimOne,
  completion,
  deliverOne,
  leaseOf,
  record,
  stepOf,
} from '../../testing/lease.js';
import type { LaneRow, TestEvent } from '../../testing/records.js';
import {
  cancelling,
  enrolment,
  now,
  purchase,
  purchaseKey,
  Till,
  transactionIntent,
  update,
} from '../../testing/records.js';
import { Retaining } from '../../testing/retaining.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { maintain, planMaintenance } from './maintain.js';
import { dayMs } from './retention-policy.js';

let store: TestStore & { readonly adminUrl: string };
let till: Till;
let retaining: Retaining;

beforeEach(async () => {
  store = await testStore(4);
  till = new Till(store);
  retaining = new Retaining(store);
});

afterEach(async () => {
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

/** An action in the audit, of the time of everything else. */
async function act(
  action: string,
  { at = now, place = null, detail = {} }: { at?: number; place?: IdentityPlace | null; detail?: object } = {},
): Promise<void> {
  const audit = { at, actor: 'ada', address: null, reason: 'why' };
  await new AuditRepository(store.database).recordAccess({ audit, action, place, detail: { ...detail } });
}

const count = async (table: string): Promise<number> =>
  (await store.sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]?.count ?? 0;

describe('intents that are old enough', () => {
  beforeEach(() => aLife());

  it('leave with their events; what was cancelled stays', async () => {
    await retaining.readAll();
    const tools = { database: store.owned, clock: { now: () => retaining.at } };
    expect(await planMaintenance(tools, retaining.policy)).toMatchObject({ intents: 2, facts: 6 });
    expect(await seqs()).toEqual([1, 2, 3, 4]);
    expect(await retaining.run()).toMatchObject({
      intents: 2,
      facts: 6,
      lanesBusy: 0,
      lanesDiffering: 0,
      heldBy: null,
    });
    expect(await seqs()).toEqual([1, 4]);
    expect(await store.sql('SELECT DISTINCT seq FROM intent_history ORDER BY 1')).toEqual([{ seq: 1 }, { seq: 4 }]);
  });

  it('are counted once by a plan, however their recordings lie', async () => {
    const more = Array.from({ length: 40 }, (_, index) => purchase(`more-${index}`, `n${index % 4}`));
    await till.record(...more);
    for (let left = 10; left > 0; left -= 1) {
      for (const lane of await claim(store)) {
        const lease = await begin(store, leaseOf(lane));
        await record(store, stepOf(lease, { completion: applied(lease) }));
      }
    }
    await retaining.readAll();
    const tools = { database: store.owned, clock: { now: () => retaining.at } };
    const plan = await planMaintenance(tools, retaining.policy);
    expect(plan).toMatchObject({ intents: 42, facts: 126 });
    expect(await retaining.run()).toMatchObject({ intents: plan.intents, facts: plan.facts });
  });

  /** 1,000 lanes a step, where lanes begin was read whole for each of them: 90,000 intents cost 4.2 s of processor time, not 2.6. */
  it('regression: leave by plans for what is there then, not for tables that were empty at the first step', async () => {
    await retaining.run();
    const { rows } = await store.owned.execute<{ name: string }>({
      name: 'find_plans',
      text: `SELECT name, generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements
        WHERE name = 'retire_intents'`,
    });
    expect(rows).toMatchObject([{ generic: 0, custom: 1 }]);
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
  ])('answer a refund that comes later: %s is %s, also to %s, who has absorbed them', async (of, status, memberId) => {
    await retaining.run();
    if (memberId !== 'm') await store.sql(`UPDATE member SET merged_into = '${memberId}' WHERE member_id = 'm'`);
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
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesBusy: 1, lanesDiffering: 0 });
    await deliverOne(store);
    const before = await lanes();
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before.map((lane) => ({ ...lane, owner: null })));
    expect(await retaining.run()).toMatchObject({ intents: 2, lanesDiffering: 0 });
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before.map((lane) => ({ ...lane, owner: null })));
    await till.record(purchase('u', 'm'));
    await rebuildLanes(store.owned, now);
    await deliverOne(store);
    expect(await seqs()).toEqual([1, 4, 7]);
  });

  it('cannot be rebuilt from where truth is missing', async () => {
    await retaining.run();
    await store.sql('ALTER TABLE intent_event DISABLE TRIGGER USER');
    await store.sql("DELETE FROM intent_event WHERE seq = 1 AND type = 'AttemptApplied'");
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow('its history must hold 5 facts up to version 11');
    await till.record(purchase('s', 'm'), purchase('t', 'm'));
    await store.sql('ALTER TABLE intent DISABLE TRIGGER USER');
    await store.sql('DELETE FROM intent WHERE seq = 5');
    await expect(rebuildLanes(store.owned, now)).rejects.toThrow('lacks version 12 behind its beginning at version 11');
  });
});

describe('what stays', () => {
  it('is what is recent', async () => {
    await aLife();
    retaining.at = now + 29 * dayMs;
    expect(await retaining.run()).toMatchObject({ intents: 0 });
    expect(await seqs()).toHaveLength(4);
  });

  it('is all of a lane that has something to send, with its events, and what needs a person or is waited for', async () => {
    const waiting = transactionIntent('m', 'refund', { waitsFor: purchaseKey('p') });
    const refund = { ...purchase('f', 'm'), verdict: { ...purchase('f', 'm').verdict, intents: [waiting] } };
    await till.record(purchase('p', 'm'), purchase('q', 'm'), purchase('r', 'm'), refund);
    await deliverOne(store);
    await parkOne();
    await deliverOne(store);
    const facts = await store.sql('SELECT * FROM intent_history ORDER BY version');
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesBusy: 1 });
    expect(await store.sql('SELECT * FROM intent_history ORDER BY version')).toEqual(facts);
    await parkOne();
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
    expect(await retaining.run()).toMatchObject({ intents: 1 });
    expect(await seqs()).toEqual([1, 2, 4]);
  });

  it('is an opt-out that is behind the last enrolment: it forbids to issue the card again', async () => {
    const optOut = { ...update('o', 'm'), type: 'loyalty.member.opted-out.v1' };
    await till.record(enrolment('e', 'm'), optOut, purchase('p', 'm'));
    for (let left = 3; left > 0; left -= 1) await deliverOne(store);
    expect(await retaining.run()).toMatchObject({ intents: 1 });
    expect(await seqs()).toEqual([1, 2]);
  });

  it('regression: is what the card shows by updates behind the last enrolment: one that is made anew shows it, too', async () => {
    const ago = (ms: number): number => now - ms;
    await till.tell([enrolment('e', 'm'), ago(9)], [update('basic', 'm', 2), ago(8)], [update('gold', 'm', 3), ago(7)]);
    await till.tell([purchase('p', 'm'), ago(6)]);
    for (let left = 4; left > 0; left -= 1) await deliverOne(store);
    await retaining.readAll();
    await retaining.run();
    expect(await seqs()).toEqual([1, 3]);
    const [lane] = await lanes();
    const place = { laneId: lane?.lane_id ?? 0, seq: 1 };
    const audit = { at: now, actor: 'ada', address: null, reason: 'the partner has lost it' };
    const request = { laneId: place.laneId, evidence: '{}', job: 'r', audit };
    const keys = store.newMemberKeys();
    await store.database.transaction('reissue', (session) => reissuePass(session, request, keys));
    expect(await loadCommands(store.database, [place], keys)).toMatchObject([
      { current: { command: { content: { tierId: 3 } } } },
    ]);
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
    const tools = { database: store.owned, clock: { now: () => retaining.at } };
    expect(await maintain(tools, retaining.policy)).toMatchObject({ intents: 0 });
  });

  it('is a lane whose facts are not as many as its row says', async () => {
    await aLife();
    await store.sql('UPDATE lane SET version = version + 1');
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesDiffering: 1 });
    expect(await seqs()).toHaveLength(4);
  });

  it('is a lane that is leased', async () => {
    await aLife();
    await till.record(purchase('s', 'm'));
    await claimOne(store);
    expect(await retaining.run()).toMatchObject({ intents: 0, lanesBusy: 1 });
    expect(await seqs()).toHaveLength(5);
  });
});

describe('beside writers', () => {
  const members = Array.from({ length: 6 }, (_, index) => `m${index}`);
  const rounds = 12;

  /** All that the members do in a round; some is parked. */
  const told = (round: number): TestEvent[] =>
    members.flatMap((member) => [
      ...(round === 0 ? [enrolment(`e-${member}`, member)] : []),
      purchase(`p-${round}-${member}`, member),
    ]);

  /** Delivers all that is due; lanes that maintenance holds are claimed once it has let them go. */
  async function deliverAll(toPark: number): Promise<void> {
    for (let parks = toPark; (await count('lane WHERE due_at IS NOT NULL')) > 0;) {
      for (const lane of await claim(store)) {
        const lease = await begin(store, leaseOf(lane));
        const end = parks > 0 ? completion(lease, 'settle', { events: [rejected, parked] }) : applied(lease);
        parks -= 1;
        await record(store, stepOf(lease, { completion: end }));
      }
    }
  }

  async function write(): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      await till.record(...told(round));
      await deliverAll(round % 4 === 1 ? 1 : 0);
    }
  }

  it('nothing open is lost, nothing known is new, and the lanes can be rebuilt', async () => {
    const writer = { isOver: false };
    let left = 0;
    const writing = write().finally(() => {
      writer.isOver = true;
    });
    while (!writer.isOver) left += (await retaining.run()).intents;
    await writing;
    left += (await retaining.run()).intents;
    const total = members.length * (rounds + 1);
    expect(left + (await count('intent'))).toBe(total);
    expect(await store.sql('SELECT status, count(*) AS count FROM intent_standing GROUP BY 1')).toEqual([
      { status: 'parked', count: 3 },
    ]);
    // Last enrolments, and what is parked with all that happened to it.
    expect(await count('intent')).toBe(members.length + 3);
    expect(await store.sql(`SELECT type, count(*) AS count FROM intent_history GROUP BY 1 ORDER BY 1`)).toEqual([
      { type: 'AttemptApplied', count: members.length },
      { type: 'AttemptBegun', count: members.length + 3 },
      { type: 'AttemptRejected', count: 3 },
      { type: 'IntentParked', count: 3 },
    ]);
    const before = await lanes();
    const counts = await countIntents(store.database);
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before);
    expect(await countIntents(store.database)).toEqual(counts);
    const again = Array.from({ length: rounds }, (_, round) => told(round)).flat();
    expect(new Set(await till.recordOutcomes(...again))).toEqual(new Set(['duplicate-event']));
  });

  it('one that goes on before it is through leaves the rest to the next, and two at once do no harm', async () => {
    await write();
    await retaining.readAll();
    const ended = AbortSignal.abort();
    const tools = { database: store.owned, clock: { now: () => retaining.at } };
    expect(await maintain({ ...tools, signal: ended }, retaining.policy)).toMatchObject({ intents: 0 });
    const both = await Promise.all([maintain(tools, retaining.policy), maintain(tools, retaining.policy)]);
    const last = await maintain(tools, retaining.policy);
    expect([...both, last].reduce((sum, { intents }) => sum + intents, 0)).toBe(members.length * rounds - 3);
    const before = await lanes();
    await rebuildLanes(store.owned, now);
    expect(await lanes()).toEqual(before);
  });
});

describe('the truth tables', () => {
  beforeEach(() => aLife());
  beforeEach(() => act('pause.set'));

  it.each(['intent', 'intent_event', 'dedup', 'operator_action'])(
    '%s lets its owner delete only what it retires',
    async (table) => {
      const retiring = "SELECT set_config('loyaltyd.retire', 'on', true)";
      const refused = { code: '23000' };
      await expect(queryOnce(store.url, `DELETE FROM ${table}`)).rejects.toMatchObject(refused);
      await expect(queryOnce(store.url, `${retiring}; TRUNCATE ${table}`)).rejects.toMatchObject(refused);
      await expect(queryOnce(store.url, `${retiring}; UPDATE ${table} SET lane_id = 7`)).rejects.toMatchObject(refused);
      await queryOnce(store.url, `${retiring}; DELETE FROM ${table}`);
      expect(await count(table)).toBe(0);
    },
  );
});

describe('the audit', () => {
  const ofAudit = { intentDays: 0, auditDays: 30 };
  const tools = (): Parameters<typeof maintain>[0] => ({ database: store.owned, clock: { now: () => retaining.at } });
  const actions = async (): Promise<string[]> =>
    (await store.sql<{ action: string }>('SELECT action FROM operator_action ORDER BY action_id')).map(
      ({ action }) => action,
    );
  const publish = (pos: string): Promise<object[]> =>
    store.sql(`UPDATE projection_checkpoint SET pos = ${pos} WHERE name = 'audit'`);
  const publishAll = (): Promise<object[]> => publish('(SELECT max(action_id) FROM operator_action)');

  it('leaves when it is old enough; a plan only counts it', async () => {
    await act('pause.set', { at: now });
    await act('pause.lift', { at: retaining.at - 29 * dayMs });
    await publishAll();
    expect(await planMaintenance(tools(), ofAudit)).toMatchObject({ actions: 1 });
    expect(await retaining.run({ ...ofAudit, auditDays: 0 })).toMatchObject({ actions: 0 });
    expect(await actions()).toEqual(['pause.set', 'pause.lift']);
    expect(await retaining.run(ofAudit)).toMatchObject({ actions: 1 });
    expect(await actions()).toEqual(['pause.lift']);
  });

  it('does not leave before it is published, unless nothing is', async () => {
    for (const action of ['a', 'b', 'c']) await act(action);
    await publish('0');
    expect(await planMaintenance(tools(), ofAudit)).toMatchObject({ actions: 0 });
    expect(await retaining.run(ofAudit)).toMatchObject({ actions: 0 });
    await publish("(SELECT action_id FROM operator_action WHERE action = 'b')");
    expect(await retaining.run(ofAudit)).toMatchObject({ actions: 2 });
    expect(await actions()).toEqual(['c']);
    await publish('NULL');
    expect(await retaining.run(ofAudit)).toMatchObject({ actions: 1 });
    expect(await actions()).toEqual([]);
  });

  it('keeps what was done to an intent or a job that is still there: it is asked what an admin has decided', async () => {
    await aLife();
    const laneId = (await store.sql<{ id: number }>('SELECT lane_id AS id FROM lane'))[0]?.id ?? 0;
    await act('intent.resolve', { place: { laneId, seq: 2 } });
    await act('member.unmask', { place: { laneId, seq: 0 } });
    await act('member.erase', { place: { laneId, seq: 0 }, detail: { job: 'j' } });
    await store.sql(
      `INSERT INTO job (job_id, kind, request, reason, state, created_at, created_by)
       VALUES ('j', 'erase', '{}', 'x', 'running', '2026-01-01', 'ada')`,
    );
    await publishAll();
    expect(await retaining.run(ofAudit)).toMatchObject({ actions: 1 });
    expect(await actions()).toEqual(['intent.resolve', 'member.erase']);
    await store.sql("UPDATE job SET state = 'done', finished_at = '2026-01-01'");
    expect(await retaining.run({ auditDays: 30, jobDays: 30 })).toMatchObject({ intents: 2, jobs: 1, actions: 2 });
    expect(await actions()).toEqual([]);
  });

  it('leaves a little at a time, past what stays, and the rest another day', async () => {
    await store.sql(
      `INSERT INTO operator_action (at, actor, action, reason, detail)
       SELECT $1::timestamptz, 'ada', 'a', 'x', CASE WHEN n <= 1500 THEN '{"job": "j"}'::jsonb END FROM generate_series(1, 3000) AS n`,
      new Date(now).toISOString(),
    );
    await store.sql(
      `INSERT INTO job (job_id, kind, request, reason, state, created_at, created_by)
       VALUES ('j', 'erase', '{}', 'x', 'running', '2026-01-01', 'ada')`,
    );
    await publishAll();
    expect(
      await maintain({ ...tools(), signal: AbortSignal.abort() }, { ...retaining.policy, ...ofAudit }),
    ).toMatchObject({
      actions: 0,
    });
    const policy = { ...retaining.policy, ...ofAudit };
    const both = await Promise.all([maintain(tools(), policy), maintain(tools(), policy)]);
    expect(both.reduce((sum, run) => sum + run.actions, 0)).toBe(1_500);
    expect(await count('operator_action')).toBe(1_500);
  });
});

describe('what else is kept for a time', () => {
  it('forgets identities whose intents have left, and then what was cancelled; those of what became nothing', async () => {
    await aLife();
    expect(await retaining.run({ dedupDays: 101 })).toMatchObject({ intents: 2, identities: 0 });
    const before = await count('dedup');
    const { identities, intents } = await retaining.run({ dedupDays: 99 });
    expect(intents).toBe(1);
    expect(await count('dedup')).toBe(before - identities);
    expect(await store.sql('SELECT DISTINCT seq FROM dedup')).toEqual([{ seq: 1 }]);
    expect(await seqs()).toEqual([1]);
    const purchases = await till.record(purchase('p-m', 'm'), enrolment('e-m', 'm'));
    expect(purchases.results).toMatchObject([{ kind: 'recorded' }, { kind: 'ignored' }]);
  });

  it('keeps identities for as long as intents are kept for ever', async () => {
    await aLife();
    const before = await count('dedup');
    expect(await retaining.run({ intentDays: 0, dedupDays: 99 })).toMatchObject({ intents: 0 });
    expect(await store.sql('SELECT count(*) AS count FROM dedup WHERE seq IS NOT NULL')).not.toEqual([{ count: 0 }]);
    expect(await seqs()).toHaveLength(4);
    expect(await count('dedup')).toBeLessThanOrEqual(before);
    const again = await till.recordOutcomes(purchase('p-m', 'm'), purchase('r-m', 'm'));
    expect(again).toEqual(['duplicate-event', 'duplicate-event']);
  });

  interface Unmapped {
    readonly days: number;
    readonly macs?: boolean;
    readonly reason?: string;
  }

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

  it('takes the bytes out of what was set aside before it was mapped, and leaves that it was there, and where', async () => {
    const insert = async (topic: string, { days, macs = true, reason = 'invalid' }: Unmapped): Promise<void> => {
      await store.sql(
        `INSERT INTO quarantine (topic, partition, kafka_offset, reason, detail, sealed_headers, sealed_value, value_bytes, broker_at,
           recorded_at, person_macs)
         VALUES ($1, 0, 7, $2, 'map: x', 'h', 'bytes', 5, '2026-01-01', $3::timestamptz, $4::bytea)`,
        ...[topic, reason, new Date(retaining.at - days * dayMs).toISOString(), macs ? Buffer.alloc(16) : null],
      );
    };
    await insert('old', { days: 31 });
    await insert('unreadable', { days: 31, reason: 'unreadable' });
    await insert('young', { days: 29 });
    await insert('mapped', { days: 31, reason: 'conflict' });
    await insert('native', { days: 31, macs: false });
    expect(await retaining.run()).toMatchObject({ unmapped: 2 });
    const rows = await store.sql(
      `SELECT topic || ' ' || q.kafka_offset || ' ' || state || ' ' || COALESCE(encode(sealed_value, 'escape'), '-') AS line, s.actor, s.reason
       FROM quarantine q LEFT JOIN quarantine_settlement s USING (quarantine_id) ORDER BY 1`,
    );
    const open = { actor: null, reason: null };
    const gone = { actor: 'loyaltyd', reason: 'set aside before it was mapped, 30 days ago' };
    expect(rows).toEqual([
      { line: 'mapped 7 open bytes', ...open },
      { line: 'native 7 open bytes', ...open },
      { line: 'old 7 discarded -', ...gone },
      { line: 'unreadable 7 discarded -', ...gone },
      { line: 'young 7 open bytes', ...open },
    ]);
    expect(
      await store.sql(`SELECT count(*) AS count FROM operator_action WHERE action = 'quarantine.discard'`),
    ).toEqual([{ count: 2 }]);
    expect(await retaining.run()).toMatchObject({ unmapped: 0 });
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
