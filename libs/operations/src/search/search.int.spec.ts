import pg from 'pg';

import type { Program, SearchHit } from '#contracts';
import { erasedName, holdPass, IngestKeys, MemberKeys } from '#intents';
import type { BusinessKey } from '#intents/core';
import type { TestStore } from '#intents/testing';
import { now, prepared, purchase, testStore, Till, transactionIntent } from '#intents/testing';
import { Clock, Database, SystemClock } from '#platform';

import type { Actor } from '../access/operator.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { noPrograms, servicesOver } from '../testing/ports.js';
import {
  cardsStatement,
  erasedStatement,
  jobsStatement,
  membersStatement,
  namedRecordsStatement,
  placedRecordsStatement,
  purchasesStatement,
  requestsStatement,
  storesStatement,
} from './search-repository.js';
import { SearchService } from './search-service.js';

const ada: Actor = { name: 'ada', role: 'viewer', programs: null, address: '127.0.0.1' };
const ofTea: Actor = { ...ada, programs: ['tea'] };
const program = 'coffee-club';

function programOf(change: Partial<Program> = {}): Program {
  const ids = { brandId: '101', programId: '2001' };
  return { ...ids, purchaseKey: [['purchaseId']], grantKey: [['grantId']], ...change } as Program;
}

const programs: ProgramsControl = {
  ...{
    processId: noPrograms.processId,
    inForce: noPrograms.inForce,
    reload: async (record) => noPrograms.reload(record),
  },
  file: () => ({
    unknownProgram: 'quarantine',
    programs: { [program]: programOf(), tea: programOf({ programId: '7' }) },
  }),
};

describe('search', () => {
  let store: TestStore;
  let search: SearchService;
  let close: () => Promise<void>;

  beforeAll(async () => {
    store = await testStore(2);
    const till = new Till(store);
    await till.record(purchase('e-1', 'M-100', 'R2-K-4105'), purchase('e-2', 'm-1001', 'R2-K-4106'));
    const refundKey: BusinessKey = { scope: 'refund', parts: ['F-77'], perGeneration: false };
    const refund = transactionIntent('m-100b', 'R2-K-4106', { businessKey: refundKey });
    await till.record({
      ...purchase('e-3', 'm-100b'),
      verdict: { ...purchase('e-3', 'm-100b').verdict, intents: [refund] },
    });
    await aside(till);
    const [member] = await store.sql<{ laneId: number }>(
      `SELECT lane_id AS "laneId" FROM member WHERE member_id = 'M-100'`,
    );
    const pass = { passId: 900, serialNumber: 'WS-0000100012' };
    const shown = { laneId: member?.laneId ?? 0, place: { brandId: '101', programId: '2001' } as never, pass };
    await holdPass(store.database, shown, store.keys.mac);
    await store.sql(
      `UPDATE member SET member_id = $1, nameless_since = now() WHERE member_id = 'm-1001'`,
      erasedName(store.keys.mac, 'm-1001'),
    );
    await store.sql(
      `INSERT INTO operator_action (at, actor, action, reason, request_id) VALUES (now(), 'ada', 'pause.set', 'x', 'REQ-17a')`,
    );
    const services = await servicesOver([
      ...([
        [Database, store.database],
        [IngestKeys, store.keys],
        [MemberKeys, store.keys.members],
      ] as const),
      ...([
        [Clock, new SystemClock()],
        [ProgramsControl, programs],
      ] as const),
    ]);
    search = services.get(SearchService);
    close = () => services.close();
  });

  afterAll(async () => {
    await close();
    await store.close();
  });

  /** A record that nobody could use, and that its member calls about. */
  async function aside(till: Till): Promise<void> {
    const { original } = prepared(purchase('x', 'x'), till.offset);
    const value = Buffer.from(JSON.stringify({ id: 'e-9', data: { memberId: 'm-77', purchaseId: 'R5-T-1' } }));
    const verdict = { kind: 'quarantine', reason: 'unknown-program', detail: 'data.program: unknown' } as const;
    await till.recordPrepared([{ original: { ...original, value }, verdict }], now);
  }

  const nameOf = (hit: SearchHit): string => {
    switch (hit.kind) {
      case 'intent':
      case 'job':
      case 'record':
        return String(hit.id);
      case 'member':
      case 'card':
        return `${hit.program}/${hit.memberId}${'isErased' in hit && hit.isErased ? ' erased' : ''}`;
      case 'purchase':
        return `${hit.purchaseId} ${hit.intents}`;
      case 'store':
        return hit.store;
      case 'request':
        return hit.requestId;
      case 'refund':
      case 'return':
      case 'correction':
      case 'grant':
        return hit.intent;
    }
  };

  async function found(q: string, actor = ada): Promise<readonly string[]> {
    const { groups } = await search.find({ q, limit: 8 }, actor);
    return groups.map(({ kind, items }) => `${kind}: ${items.map(nameOf).join(', ')}`);
  }

  it.each<[string, readonly string[]]>([
    ['r2-k-41', ['purchase: R2-K-4105 1, R2-K-4106 2']],
    ['R2-K-4105', ['purchase: R2-K-4105 1']],
    ['m-100', ['member: coffee-club/M-100, coffee-club/m-100b']],
    [' m-100B ', ['member: coffee-club/m-100b']],
    ['coffee-club~M-100~1', ['intent: coffee-club~M-100~1']],
    ['F-77', ['refund: coffee-club~m-100b~1']],
    ['WS-0000100012', ['card: coffee-club/M-100']],
    ['900', ['card: coffee-club/M-100']],
    ['Berlin', ['store: berlin-07']],
    ['req-17', ['request: REQ-17a']],
    ['R5-T-1', ['record: 1']],
    ['m-77', ['record: 1']],
    ['e-9', ['record: 1']],
    ['#1', ['record: 1']],
  ])('finds %j', async (q, expected) => {
    expect(await found(q)).toEqual(expected);
  });

  it('finds a record by where it lies', async () => {
    const [row] = await store.sql<{ place: string }>(
      `SELECT topic || '/' || partition || '@' || kafka_offset AS place FROM quarantine`,
    );
    expect(await found(row?.place ?? '')).toEqual(['record: 1']);
    expect(await found((row?.place ?? '').replace('/', '-'))).toEqual(['record: 1']);
  });

  it.each(['R5-T', 'WS-00001', 'F-7', 'm-7', '%', 'm_100', 'nothing', '   '])(
    'finds nothing by %j: what is sealed is found as a whole alone, and no sign stands for others',
    async (q) => {
      expect(await found(q)).toEqual([]);
    },
  );

  it('finds who is erased by the whole id alone', async () => {
    expect(await found('m-1001')).toEqual(['member: coffee-club/m-1001 erased']);
    expect(await found('erased.')).toEqual([]);
  });

  it('finds of other programs nothing for who is limited to some', async () => {
    for (const q of ['m-100', 'R2-K', 'F-77', 'WS-0000100012', 'berlin', 'R5-T-1', 'req-17', 'coffee-club~M-100~1']) {
      expect([q, await found(q, ofTea)]).toEqual([q, []]);
    }
  });

  it('says where there is more', async () => {
    const { groups } = await search.find({ q: 'R2-K', limit: 1 }, ada);
    expect(groups).toMatchObject([{ kind: 'purchase', hasMore: true, items: [{ purchaseId: 'R2-K-4105' }] }]);
  });

  it('tells the only intent of a purchase, which opens at once', async () => {
    const { groups } = await search.find({ q: 'R2-K-4105', limit: 8 }, ada);
    expect(groups[0]?.items[0]).toMatchObject({ intent: 'coffee-club~M-100~1', memberId: 'M-100' });
  });

  it.each([
    ['member_by_prefix', membersStatement, `'m-1', NULL, 9`],
    ['member_program_id_member_id_key', erasedStatement, `'{tea}', 'x'`],
    ['intent_purchase', purchasesStatement, `'R2', NULL, 9`],
    ['intent_recorded', storesStatement, `'b', NULL, 9`],
    ['job_by_prefix', jobsStatement, `'j', NULL, 9`],
    ['operator_action_of_request', requestsStatement, `'r', 9`],
    ['quarantine_name_pkey', namedRecordsStatement, `'{}', 9`],
    ['quarantine_place', placedRecordsStatement, `'t', 1, 1, 9`],
    ['pass_holder_pkey', cardsStatement, `'{}', NULL, 9`],
  ] as const)('reads by %s, and no table as a whole', async (index, { name, text }, parameters) => {
    const client = new pg.Client({ connectionString: store.url });
    await client.connect();
    // Tables this small are read whole otherwise.
    await client.query('SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan');
    await client.query(`PREPARE ${name} AS ${text}`);
    const { rows } = await client.query<Record<'QUERY PLAN', string>>(`EXPLAIN EXECUTE ${name} (${parameters})`);
    await client.end();
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(new RegExp(`(using|Scan on) ${index}\\b`));
    expect(plan).not.toMatch(
      /Seq Scan on (?:member|intent|job|operator_action|quarantine|quarantine_name|pass_holder)\b/,
    );
  });
});
