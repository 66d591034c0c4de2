import pg from 'pg';

import type { PartnerCommand } from '#intents/core';
import type { TestStore } from '#intents/testing';
import { happens, now, prepared, purchase, testStore, Till, transactionIntent } from '#intents/testing';

import type { ExportedFact, ExportExtent, ExportChunk } from './export-repository.js';
import { exportPlacesMax, exportPlacesStatement, ExportRepository, exportStart } from './export-repository.js';

let store: TestStore;

beforeEach(async () => {
  store = await testStore(4);
});

afterEach(() => store.close());

async function frozen(): Promise<ExportExtent> {
  const selection = { program: null, from: null, to: null };
  for (let bound = null as Parameters<ExportRepository['freeze']>[1]; ;) {
    const answer = await new ExportRepository(store.database, store.keys.members).freeze(selection, bound);
    if (answer.kind === 'frozen') return answer.extent;
    ({ bound } = answer);
  }
}

/** Look by look, so many lines at most in each. */
async function looks(extent: ExportExtent, limit: number): Promise<ExportChunk[]> {
  const all: ExportChunk[] = [];
  for (let after = exportStart(extent); ;) {
    const look = await new ExportRepository(store.database, store.newMemberKeys()).read({ extent, after, limit });
    all.push(look);
    if (look.next === null) return all;
    after = look.next;
  }
}

const names = (facts: readonly ExportedFact[]): string[] =>
  facts.map((fact) => `${fact.memberId} ${fact.seq} ${fact.version} ${fact.kind === 'event' ? fact.type : 'recorded'}`);

describe('reading an export', () => {
  it('goes intent by intent, each with its events, in pieces of any size', async () => {
    const till = new Till(store);
    await till.record(purchase('a1', 'a'), purchase('b1', 'b'), purchase('a2', 'a'));
    await happens(
      store,
      { memberId: 'a', seq: 1 },
      { type: 'IntentParked', at: now, reason: 'rejected', lane: 'continue' },
    );
    await happens(store, { memberId: 'a', seq: 2 }, { type: 'IntentCancelled', at: now, by: 'ada', reason: 'x' });
    await happens(store, { memberId: 'a', seq: 1 }, { type: 'IntentCancelled', at: now, by: 'ada', reason: 'x' });
    const extent = await frozen();
    await happens(store, { memberId: 'b', seq: 1 }, { type: 'IntentCancelled', at: now, by: 'ada', reason: 'x' });
    const whole = [
      ...['a 1 1 recorded', 'a 1 3 IntentParked', 'a 1 5 IntentCancelled', 'a 2 2 recorded', 'a 2 4 IntentCancelled'],
      'b 1 1 recorded',
    ];
    for (const limit of [100, 1, 2, 3]) {
      const read = await looks(extent, limit);
      expect(names(read.flatMap(({ facts }) => facts))).toEqual(whole);
      expect(Math.max(...read.map(({ facts }) => facts.length))).toBeLessThanOrEqual(limit);
    }
  });

  it('loads no more bytes at once than it may, but at least one line', async () => {
    const large = 'x'.repeat(1_500_000);
    const events = Array.from({ length: 5 }, (_, index) => {
      const intent = transactionIntent('a', `p${index}`);
      const command = { ...intent.command, attributes: { note: large } } as PartnerCommand;
      const event = purchase(`p${index}`, 'a');
      return { ...event, verdict: { ...event.verdict, intents: [{ ...intent, command }] } };
    });
    await new Till(store).recordPrepared(events.map((event, index) => prepared(event, index)));
    const read = await looks(await frozen(), 1_000);
    expect(read.map(({ facts }) => facts.length)).toEqual([3, 2]);
  });

  it('goes on behind many intents that do not belong to it', async () => {
    const till = new Till(store);
    for (let from = 0; from < 2 * exportPlacesMax; from += 256) {
      await till.record(...Array.from({ length: 256 }, (_, index) => purchase(`p${from + index}`, `m${index % 50}`)));
    }
    await till.record(purchase('last', 'last'));
    const extent = await frozen();
    await store.sql(`UPDATE member SET program_id = 'other' WHERE member_id = 'last'`);
    const read = await looks({ ...extent, program: 'other' }, 10);
    expect(names(read.flatMap(({ facts }) => facts))).toEqual(['last 1 1 recorded']);
  });

  it('finds its intents by an index, in their order, however many there are', async () => {
    const client = new pg.Client({ connectionString: store.url });
    await client.connect();
    await client.query(
      'SET enable_seqscan = off; SET enable_bitmapscan = off; SET plan_cache_mode = force_generic_plan',
    );
    await client.query(`PREPARE places AS ${exportPlacesStatement.text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE places ('2026-01-01', 0, 0, '2027-01-01', 1, NULL)`,
    );
    await client.end();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/CTE candidate\s+->\s+Limit[^\n]*\n\s+->\s+Index Scan using intent_recorded/);
  });
});
