import { parseProgramsFile } from '#contracts';
import type { SourceTables } from '#events';
import {
  ChunkRepository,
  ErasureRepository,
  type IngestKeys,
  MemberKeys,
  personDigest,
  QuarantineSettlements,
  ReadAgainRepository,
  type ReadAgainResult,
  type ResubmitResult,
  startOffset,
} from '#intents';
import type { FetchedBatch, FetchedRecord } from '#kafka';
import { type Database, LocalWake, SystemClock, SystemRandom } from '#platform';
import { testDatabase } from '#test-support';

import { Positions } from '../positions/positions.js';
import { testPrograms } from '../testing/events.js';
import { FakeSource, recordingLogger, recordingMetrics, until } from '../testing/fakes.js';
import { openDatabase, sharedKeys } from '../testing/ingest-fixture.js';
import { testSources } from '../testing/sources.js';
import { PartitionBatcher } from './partition-batcher.js';
import { prepareAgain } from './prepare-again.js';
import { recordRouter, type RoutingPrograms } from './prepare-record.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const topic = 'shop.orders';

/** Of each line of an order an event: a sale, or what comes back of one. */
const map = `
lines.{
  "id": $$.order & "-" & no, "source": "/shop", "time": $$.at,
  "type": $exists(refund) ? "loyalty.purchase.refunded.v1" : "loyalty.purchase.completed.v1",
  "data": $merge([
    { "program": "coffee-club", "memberId": $$.member, "purchaseId": receipt },
    { "total": { "minor": $minor(total, "EUR"), "currency": "EUR" } },
    $exists(refund) ? { "refundId": refund } : {}
  ])
}`;

function programsWith(text: string, change: object = {}): RoutingPrograms {
  const { file, hash } = testPrograms();
  const section = JSON.stringify({ shop: { ...shopSource, map: text, ...change } });
  const parsed = parseProgramsFile(`programs: { coffee-club: { brandId: 1, programId: 1 } }\nsources: ${section}`);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return { file: { ...file, sources: parsed.value.sources ?? {} }, hash };
}

const shopSource = {
  topics: [topic],
  format: 'json',
  types: ['loyalty.purchase.completed.v1', 'loyalty.purchase.refunded.v1'],
  programs: ['coffee-club'],
};

interface Line {
  readonly no: string;
  readonly receipt: string;
  readonly total: string;
  readonly refund?: string;
}

const order = (id: string, member: string, ...lines: readonly Line[]): object => ({
  ...{ order: id, member, at: '2026-11-21T10:15:04Z', lines },
});

let database: Database;
let keys: IngestKeys;
let close: () => Promise<void>;
let programs: RoutingPrograms;
let sources: SourceTables;
let shop: Shop;

/** Sends records to a partition as a shop does; each call is one batch. */
class Shop {
  private offset = 0;
  readonly counted = recordingMetrics();
  private readonly batcher: PartitionBatcher;
  private readonly positions: Positions;

  /** @param brokerAt when the broker got its records */
  constructor(private readonly brokerAt = now) {
    const clock = Object.assign(new SystemClock(), { now: () => now });
    const random = new SystemRandom();
    const { logger } = recordingLogger();
    const { metrics } = this.counted;
    const tools = { source: new FakeSource(), database, clock, random, logger, metrics };
    this.positions = new Positions({ ...tools, fingerprint: () => new Uint8Array() }, { kind: 'earliest' });
    this.batcher = new PartitionBatcher({
      ...{ ...tools, sources, positions: this.positions },
      ...{ repository: new ChunkRepository(database, keys), programs: () => programs, wake: new LocalWake() },
      ...{ hasDeadLetters: false, onQuarantined: () => undefined },
    });
    this.positions.assign([{ topic, partition: 0 }]);
  }

  async sends(...values: readonly object[]): Promise<void> {
    await this.sendsBytes(...values.map((value) => JSON.stringify(value)));
  }

  /** As a job does, by the map of now. */
  async readsAgain(...values: readonly object[]): Promise<ReadAgainResult[]> {
    const records = values.map((value, offset) => this.recordOf({}, JSON.stringify(value), offset));
    const nextOffset = records.length;
    const batch = { topic, partition: 0, fetchedFrom: 0, nextOffset, highWatermark: nextOffset, records };
    const again = new ReadAgainRepository(database, keys);
    const source = this.positions.sourceOf({ topic, partition: 0 });
    if (source === null) throw new Error('it is not placed');
    const results: ReadAgainResult[] = [];
    for await (const part of prepareAgain(batch, { programs: () => programs, sources, now: () => now })) {
      const read = await again.record({ ...part, source, now, knownSince: 0, isDryRun: false });
      results.push(...read.map(({ result }) => result));
    }
    return results;
  }

  sendsBytes(...values: readonly string[]): Promise<void> {
    return this.sendsWith({}, ...values);
  }

  async sendsWith(headers: FetchedRecord['headers'], ...values: readonly string[]): Promise<void> {
    await until(() => this.positions.sourceOf({ topic, partition: 0 }) !== null);
    const records = values.map((value, index) => this.recordOf(headers, value, this.offset + index));
    const nextOffset = this.offset + records.length;
    const batch: FetchedBatch = {
      ...{ topic, partition: 0, fetchedFrom: this.offset, nextOffset, highWatermark: nextOffset, records },
    };
    this.offset = nextOffset;
    await this.batcher.consume(batch, { acknowledge: () => undefined, heartbeat: async () => undefined });
  }

  private recordOf(headers: FetchedRecord['headers'], value: string, offset: number): FetchedRecord {
    return { offset, brokerAt: this.brokerAt, key: null, headers, value: Buffer.from(value) };
  }
}

async function rows<Row extends object>(text: string): Promise<Row[]> {
  return (await database.execute<Row>({ name: `spec ${text}`.slice(0, 60), text })).rows;
}

const intents = async (): Promise<string[]> =>
  (
    await rows<{ line: string }>(
      `SELECT concat_ws(' ', m.member_id, i.purchase_id, i.amount) AS line FROM intent i JOIN member m USING (lane_id)
       ORDER BY m.member_id, i.seq`,
    )
  ).map(({ line }) => line);

const aside = async (): Promise<string[]> =>
  (
    await rows<{ line: string }>(
      `SELECT concat_ws(' ', kafka_offset, reason || ':', detail) AS line FROM quarantine WHERE state = 'open' ORDER BY 1`,
    )
  ).map(({ line }) => line);

async function resubmits(offset: number): Promise<ResubmitResult> {
  const [row] = await rows<{ id: number }>(`SELECT quarantine_id AS id FROM quarantine WHERE kafka_offset = ${offset}`);
  const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };
  const request = { quarantineId: row?.id ?? 0, correction: null, audit, permit: () => [] };
  const route = recordRouter(() => programs, sources);
  return new QuarantineSettlements(database, keys).resubmit(request, route);
}

beforeEach(async () => {
  const test = await testDatabase();
  const opened = await openDatabase(test.url, 4);
  database = opened.database;
  const { keyring, ...secrets } = sharedKeys();
  const random = new SystemRandom();
  keys = { members: new MemberKeys(keyring, random), ...secrets, random };
  close = async () => {
    await opened.source.destroy();
    await test.dispose();
  };
  await startOffset(database, { clusterId: 'c', topic, incarnation: 1, partition: 0 }, 0);
  sources = testSources({ purchases: 'loyalty.purchases' });
  programs = programsWith(map);
  shop = new Shop();
});

afterEach(() => close());

const sale = (no: string, receipt: string, total = '10.00'): Line => ({ no, receipt, total });
const refund = (no: string, receipt: string, total = '4.00'): Line => ({ no, receipt, total, refund: `R-${no}` });

describe('a record of which a map makes events', () => {
  it('becomes what each of them asks for, in their order', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1'), refund('2', 'B-1'), sale('3', 'B-2', '6.00')));
    expect(await intents()).toEqual(['ada B-1 10.00', 'ada B-1 4.00', 'ada B-2 6.00']);
    expect(await aside()).toEqual([]);
  });

  it('is known again by its events when it comes a second time', async () => {
    const same = order('1', 'ada', sale('1', 'B-1'), sale('2', 'B-2'));
    await shop.sends(same, same);
    expect(await intents()).toHaveLength(2);
    expect(shop.counted.counts.get('duplicate-event')).toBe(2);
  });

  it('that says nothing is counted, and nothing is kept of it', async () => {
    await shop.sends(order('1', 'ada'));
    expect(shop.counted.counts.get('unmapped')).toBe(1);
    expect([await intents(), await aside()]).toEqual([[], []]);
  });

  it('is set aside once where one of them is refused by itself, and none of them is recorded', async () => {
    await shop.sends(
      order('1', 'ada', sale('1', 'B-1')),
      order('2', 'bob', sale('1', 'B-2'), { ...sale('2', 'B-3'), receipt: '' }, sale('3', 'B-4')),
      order('3', 'eve', sale('1', 'B-5')),
    );
    expect(await intents()).toEqual(['ada B-1 10.00', 'eve B-5 10.00']);
    expect(await aside()).toEqual([expect.stringMatching(/^1 invalid: event 2 of 3: data\.purchaseId: /)]);
    expect(shop.counted.counts.get('quarantine:invalid')).toBe(1);
  });

  it('is set aside once where one of them contradicts what is known, and what comes with it is recorded', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1')));
    await shop.sends(
      order('2', 'bob', sale('1', 'B-2')),
      order('3', 'bob', sale('1', 'B-3'), sale('2', 'B-1', '99.00'), sale('3', 'B-4')),
      order('4', 'bob', sale('1', 'B-5'), sale('2', 'B-6')),
    );
    expect(await intents()).toEqual(['ada B-1 10.00', 'bob B-2 10.00', 'bob B-5 10.00', 'bob B-6 10.00']);
    expect(await aside()).toEqual([expect.stringMatching(/^2 conflict: event 2 of 3: /)]);
  });

  it('that was set aside is taken in whole by the map of then, or not at all', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1'), { ...sale('2', 'B-2'), total: 'ten' }));
    expect(await intents()).toEqual([]);
    expect(await resubmits(0)).toMatchObject({ kind: 'refused', reason: 'invalid' });
    expect(await intents()).toEqual([]);
    programs = programsWith(map.replace('$minor(total, "EUR")', '$minor(total = "ten" ? "10.00" : total, "EUR")'));
    expect(await resubmits(0)).toMatchObject({ kind: 'done', result: 'recorded' });
    expect(await intents()).toEqual(['ada B-1 10.00', 'ada B-2 10.00']);
  });

  it('may say no more than its source is allowed to, and holds no number', async () => {
    programs = programsWith(map, { types: ['loyalty.purchase.completed.v1'] });
    await shop.sends(order('1', 'ada', sale('1', 'B-1'), refund('2', 'B-1')));
    expect(await intents()).toEqual([]);
    expect(await aside()).toEqual([
      '0 not-allowed: event 2 of 2: type: source shop may not say loyalty.purchase.refunded.v1',
    ]);
    expect(await rows('SELECT FROM quarantine WHERE number_key IS NOT NULL')).toEqual([]);
  });
});

describe('the place of a record that intents came of', () => {
  const other = (): RoutingPrograms => programsWith(map.replace('$$.order & "-" & no', '"x-" & receipt & no'));

  const readsAgain = async (...values: readonly object[]): Promise<void> => {
    await rows(`UPDATE kafka_offset SET next_offset = 0, last_offset = NULL, last_fingerprint = NULL`);
    shop = new Shop();
    await shop.sends(...values);
  };

  it('is known when it is read again by the same map', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1'), sale('2', 'B-2')));
    await readsAgain(order('1', 'ada', sale('1', 'B-1'), sale('2', 'B-2')));
    expect(await intents()).toHaveLength(2);
    expect(shop.counted.counts.get('duplicate-event')).toBe(2);
    expect(await aside()).toEqual([]);
  });

  it('makes no others when another map reads it: a person sees it, and what came with it is recorded', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1')), order('2', 'bob', { ...sale('1', ''), receipt: '' }));
    programs = other();
    await readsAgain(order('1', 'ada', sale('1', 'B-1')), order('2', 'bob', sale('1', 'B-2')));
    expect(await intents()).toEqual(['ada B-1 10.00', 'bob B-2 10.00']);
    expect(await aside()).toContain(
      '0 place-differs: map: makes other events of this record than those that were taken in',
    );
    expect(await resubmits(0)).toMatchObject({ kind: 'refused', reason: 'place-differs' });
  });

  it('is another one where the topic was created anew: its records have another time', async () => {
    await shop.sends(order('1', 'ada', sale('1', 'B-1')));
    programs = other();
    await rows(`UPDATE kafka_offset SET next_offset = 0, last_offset = NULL, last_fingerprint = NULL`);
    shop = new Shop(now + 1);
    await shop.sends(order('2', 'bob', sale('1', 'B-2')));
    expect(await intents()).toEqual(['ada B-1 10.00', 'bob B-2 10.00']);
  });
});

describe('a topic that is read again by a mended map', () => {
  const ofNet = (): RoutingPrograms => programsWith(map.replace('total, "EUR"', 'net, "EUR"'));

  it('has nothing made of a place that has led to intents: neither other events, nor one that is refused, nor a row in quarantine', async () => {
    const orders = [
      order('1', 'ada', sale('1', 'B-1')),
      order('2', 'bob', sale('1', 'B-2')),
      order('3', 'eve', sale('1', 'B-3'), sale('2', 'B-4')),
    ];
    await shop.sends(...orders);
    const before = await intents();
    expect(await shop.readsAgain(...orders)).toEqual([
      ...[{ kind: 'known-place' }, { kind: 'known-place' }, { kind: 'known-place' }],
    ]);
    programs = ofNet();
    const [first, second, third] = orders.map((each, index) => ({
      ...each,
      // The first has another total by now, the second none, and of the third nothing is made.
      lines: index === 2 ? [] : [{ ...sale('1', `B-${index + 1}`), ...(index === 0 && { net: '8.40' }) }],
    }));
    const results = await shop.readsAgain(first ?? {}, second ?? {}, third ?? {});
    expect(results.map(({ kind }) => kind)).toEqual(['differs', 'differs', 'differs']);
    const [other, none, nothing] = results.map((result) => (result.kind === 'differs' ? result.made.length : null));
    expect([other, none, nothing]).toEqual([1, 0, 0]);
    expect(results[0]).toMatchObject({ recorded: { program: 'coffee-club', memberId: 'ada', seq: 1 } });
    expect(await intents()).toEqual(before);
    expect(await aside()).toEqual([]);
  });

  it('shows what was ignored because the map gave no member; by an id of its own it is taken in', async () => {
    programs = programsWith(map.replace('"memberId": $$.member, ', ''));
    const orders = [order('1', 'ada', sale('1', 'B-1')), order('2', 'bob', sale('1', 'B-2'))];
    await shop.sends(...orders);
    expect(shop.counted.counts.get('no-member')).toBe(2);
    programs = programsWith(map);
    expect(await shop.readsAgain(...orders)).toEqual([{ kind: 'ignored-before' }, { kind: 'ignored-before' }]);
    expect(await intents()).toEqual([]);
    programs = programsWith(map.replace('"id": ', '"id": "mended-" & '));
    expect(await shop.readsAgain(...orders)).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
    expect(await intents()).toEqual(['ada B-1 10.00', 'bob B-2 10.00']);
  });

  it('takes in what another map has ignored, once', async () => {
    programs = programsWith(`$exists(nothing) ? {} : []`);
    const orders = [order('1', 'ada', sale('1', 'B-1')), order('2', 'bob', sale('1', 'B-2'))];
    await shop.sends(...orders);
    expect(await intents()).toEqual([]);
    programs = programsWith(map);
    expect(await shop.readsAgain(...orders)).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
    expect(await shop.readsAgain(...orders)).toEqual([{ kind: 'known-place' }, { kind: 'known-place' }]);
    expect(await intents()).toEqual(['ada B-1 10.00', 'bob B-2 10.00']);
  });
});

describe('a record that is set aside before it is mapped', () => {
  const laneId = 0;

  async function search(memberId: string, addresses: readonly string[] = [], program = 'coffee-club') {
    const addressMacs = addresses.map((address) => personDigest(keys.mac, address).toString('base64'));
    const erasures = new ErasureRepository(database, keys);
    return erasures.scanQuarantine({ member: { program, memberId }, laneId, addressMacs, after: 0 });
  }

  it('is found by the person whom its map or its bytes name, and by no other, nor for a program that its source has no part in', async () => {
    const bad = { ...order('o1', 'M-1', { no: '1', receipt: 'r1', total: '1.005' }), customer: 'ada@example.com' };
    await shop.sends(bad, order('o2', 'M-2', { no: '1', receipt: 'r2', total: '1.00' }));
    await shop.sendsBytes('{"mail":"bob@example.com", "cut off');
    expect(await aside()).toHaveLength(2);
    expect(await search('M-1')).toMatchObject({ found: [1], mapped: 1, scanned: 2 });
    expect(await search('M-1', [], 'tea-club')).toMatchObject({ found: [] });
    expect(await search('M-2')).toMatchObject({ found: [] });
    expect(await search('x', ['ADA@example.com'])).toMatchObject({ found: [1] });
    expect(await search('x', ['bob@example.com'])).toMatchObject({ found: [2] });
    expect(await intents()).toEqual(['M-2 r2 1.00']);
  });

  it('leaves no name in the clear', async () => {
    await shop.sendsBytes('{"mail":"bob@example.com", "cut off');
    const [row] = await rows<{ line: string }>(`SELECT q::text AS line FROM quarantine q`);
    expect(row?.line).not.toContain('bob');
    expect(await rows(`SELECT length(person_macs) > 0 AS has, person_programs AS programs FROM quarantine`)).toEqual([
      { has: true, programs: ['coffee-club'] },
    ]);
  });
});

describe('a batch of CloudEvents', () => {
  const headers = { 'content-type': 'application/cloudevents-batch+json' };
  const event = (id: string, purchaseId: string, total = 1_000): object => ({
    ...{ specversion: '1.0', id, source: '/shop', type: 'loyalty.purchase.completed.v1', time: '2026-11-21T10:15:04Z' },
    data: { program: 'coffee-club', memberId: 'ada', purchaseId, total: { minor: total, currency: 'EUR' } },
  });
  const batch = (...events: readonly object[]): string => JSON.stringify(events);

  beforeEach(() => {
    programs = programsWith(map, { format: 'cloudevents', map: undefined });
  });

  it('becomes what each of its events asks for, in their order; a second time it is known by them', async () => {
    const several = batch(event('1', 'B-1'), event('2', 'B-2', 600));
    await shop.sendsWith(headers, several, batch(event('3', 'B-3')), several, batch());
    expect(await intents()).toEqual(['ada B-1 10.00', 'ada B-2 6.00', 'ada B-3 10.00']);
    expect(shop.counted.counts.get('duplicate-event')).toBe(2);
    expect(await aside()).toEqual([]);
  });

  it('is set aside once where one of them is refused, and taken in whole', async () => {
    await shop.sendsWith(headers, batch(event('1', 'B-1'), event('2', ''), event('3', 'B-3')));
    expect([await intents(), await aside()]).toEqual([
      [],
      [expect.stringMatching(/^0 invalid: event 2 of 3: data\.purchaseId: /)],
    ]);
    expect(await resubmits(0)).toMatchObject({ kind: 'refused' });
  });
});
