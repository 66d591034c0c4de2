import type { RoutedIntent } from '#intents/core';
import type { IngestKeys, PreparedRecord, RecordVerdict } from '#intents';
import {
  MemberKeys,
  QuarantinedBatches,
  QuarantineRepository,
  QuarantineSettlements,
  recordBatch,
  startOffset,
} from '#intents';
import type { Clock, Database } from '#platform';
import { createDataSource, DatabaseError, Keyring, SystemClock, SystemRandom, TypeormDatabase } from '#platform';
import { testDatabase } from '#test-support';

import type { Actor } from '../access/operator.js';
import { ApiProblem } from '../problems/api-problem.js';
import type { ProgramsControl } from '../reload/programs-control.js';
import type { Intake, SettledMany, SettleMany } from './quarantine-service.js';
import { failuresShownMax, QuarantineService, QuarantineStore, settleManyMsMax } from './quarantine-service.js';

const now = Date.parse('2026-11-21T09:00:00.000Z');
const random = new SystemRandom();
const clock = Object.assign(new SystemClock(), { now: () => now });
const actor: Actor = { name: 'ada', role: 'operator', programs: null, address: '127.0.0.1' };
const first = { topic: '', partition: -1, quarantineId: 0 };
const nobody = { source: null, store: null, program: null };
const mended = { kind: 'resubmit', reason: 'mended', actor } as const;
const all = { reason: null, topic: null, detail: null, from: null, to: null, ...nobody };

/** A purchase of the member whose record says so; what says `bad` is refused. */
function verdictOf(text: string, offset: number): RecordVerdict {
  if (text.startsWith('bad')) return { kind: 'quarantine', reason: 'invalid', detail: `data.${text}: required` };
  const [memberId = '', purchaseId = ''] = text.split(' ');
  const intent: RoutedIntent = {
    ...{ program: 'coffee-club', memberId, operation: 'transaction', command: null, parked: null, waitsFor: null },
    businessKey: { scope: 'purchase', parts: [purchaseId], perGeneration: false },
    ...{ businessContent: text, facts: { purchaseId } },
  };
  return {
    ...{ kind: 'routed', eventType: 't', eventSource: 's', occurredAt: now, eventContentText: text },
    ...{ eventKeyText: `${offset} ${text}`, intents: [intent], cancels: [], memberEffects: null },
    ...{ enrolmentAsUpdate: null, profilePosition: null },
  };
}

const aside: RecordVerdict = { kind: 'quarantine', reason: 'unknown-program', detail: 'data.program: unknown' };

describe('many records set aside', () => {
  let database: TypeormDatabase;
  let intake: Intake;
  let keys: IngestKeys;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const test = await testDatabase();
    const onPoolError = (): void => undefined;
    const named = { applicationName: 'operations-spec', migrations: [], onPoolError };
    const source = createDataSource({ url: test.url, poolSize: 6, ssl: false, ...named });
    await source.initialize();
    close = async () => {
      await source.destroy();
      await test.dispose();
    };
    database = new TypeormDatabase(source);
    const members = new MemberKeys(new Keyring([random.bytes(32)]), random);
    keys = { members, mac: random.bytes(32), quarantine: random.bytes(32), random };
    intake = {
      hasDeadLetters: true,
      unpack: () => {
        throw new Error('there is no batch');
      },
      route: async ({ original }) => {
        const verdict = verdictOf(Buffer.from(original.value ?? '').toString(), original.offset);
        return { records: [{ original, verdict }], programsHash: Buffer.alloc(16), isMapped: false };
      },
    };
  });

  const storeOn = (on: Database): QuarantineStore =>
    new QuarantineStore(
      new QuarantineRepository(on, keys),
      new QuarantineSettlements(on, keys),
      new QuarantinedBatches(on, keys),
    );

  /** No record is corrected here: no programs file is read. */
  const serviceOn = (on: Database, by: Clock = clock): QuarantineService =>
    new QuarantineService(storeOn(on), by, intake, {} as ProgramsControl);

  afterEach(() => close());

  /** Sets these aside, one after the other, in a partition of their own. */
  async function setAside(topic: string, partition: number, texts: readonly string[]): Promise<void> {
    const source = { clusterId: 'c', topic, incarnation: 1, partition };
    await startOffset(database, source, 0);
    const records = texts.map((text, offset): PreparedRecord => {
      const original = { offset, brokerAt: now, key: null, value: Buffer.from(text), headersText: '{}' };
      return { original, verdict: aside };
    });
    const batch = { source, records, fromOffset: 0, nextOffset: texts.length, now, programsHash: Buffer.alloc(16) };
    await recordBatch(database, batch, keys);
  }

  async function settle(
    more: Partial<SettleMany> & { readonly kind?: 'resubmit' | 'discard'; readonly on?: Database } = {},
  ): Promise<SettledMany> {
    const { kind = 'resubmit', on = database, ...request } = more;
    const settling = { kind, reason: 'mended', actor };
    return serviceOn(on).settleMany({ filter: all, after: first, limit: 2_000, settling, ...request });
  }

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await database.execute<Row>({ name: text.slice(0, 60), text })).rows;
  }

  async function purchases(): Promise<string[]> {
    const found = await rows<{ id: string }>('SELECT purchase_id AS id FROM intent ORDER BY pos');
    return found.map(({ id }) => id);
  }

  it('are taken in as they came: by topic, partition and offset, whatever order they were set aside in', async () => {
    await setAside('b', 0, ['m 5', 'm 6']);
    await setAside('a', 1, ['m 3', 'm 4']);
    await setAside('a', 0, ['m 1', 'm 2']);
    expect(await settle()).toMatchObject({ done: 6, failed: 0, skipped: 0, remaining: 0, failures: [] });
    expect(await purchases()).toEqual(['1', '2', '3', '4', '5', '6']);
    const traces = await rows('SELECT action, actor, reason, seq FROM operator_action ORDER BY action_id');
    expect(traces).toEqual(
      [1, 2, 3, 4, 5, 6].map((seq) => ({ action: 'quarantine.resubmit', actor: 'ada', reason: 'mended', seq })),
    );
  });

  it('are only tried where nobody wants more: how many are refused again, and by which rule, and nothing is kept', async () => {
    await setAside('a', 0, ['m 1', 'bad', 'bad', 'm 2']);
    const settling = { kind: 'resubmit', reason: 'a look', actor, isTrial: true } as const;
    const tried = await settle({ settling });
    expect(tried).toMatchObject({ done: 2, failed: 2, remaining: 0 });
    expect(tried.refusedBy?.map(({ rule, records }) => [rule.includes('data.bad: required'), records])).toEqual([
      [true, 2],
    ]);
    expect(await rows('SELECT FROM intent')).toEqual([]);
    expect(await rows('SELECT FROM operator_action')).toEqual([]);
    expect(await settle()).toMatchObject({ done: 2, failed: 2 });
    expect(await purchases()).toEqual(['1', '2']);
  });

  it('are those of the filter alone', async () => {
    await setAside('a', 0, ['m 1']);
    await setAside('b', 0, ['m 2']);
    for (const filter of [
      { ...all, topic: 'c' },
      { ...all, reason: 'invalid' },
      { ...all, detail: 'data.total' },
      { ...all, detail: '%' },
      { ...all, source: '/till' },
      { ...all, from: now + 1 },
      { ...all, to: now },
    ]) {
      expect(await settle({ filter })).toMatchObject({ done: 0, remaining: 0 });
    }
    const filter = {
      ...{ ...all, reason: 'unknown-program', topic: 'b', detail: 'program: unk' },
      ...{ from: now, to: now + 1 },
    };
    expect(await settle({ filter })).toMatchObject({ done: 1, remaining: 0 });
    expect(await purchases()).toEqual(['2']);
  });

  it('go on behind what failed, however much that is, and tell the first of it', async () => {
    const bad = Array.from({ length: failuresShownMax + 20 }, (_, index) => `bad${index}`);
    await setAside('a', 0, [...bad, 'm 1', 'm 2']);
    const half = await settle({ limit: bad.length });
    expect(half).toMatchObject({ done: 0, failed: bad.length, remaining: 2 });
    expect(half.failures).toHaveLength(failuresShownMax);
    expect(half.failures[0]?.detail).toBe('invalid: data.bad0: required');
    expect(await settle({ limit: 1, after: half.last })).toMatchObject({ done: 1, failed: 0, remaining: 1 });
    expect(await settle({ after: half.last })).toMatchObject({ done: 1, remaining: 0 });
    expect(await rows(`SELECT count(*) FROM quarantine WHERE state = 'open'`)).toEqual([{ count: bad.length }]);
  });

  it('regression: are those that were counted, and none that came while somebody wrote why', async () => {
    await setAside('a', 0, ['m 1', 'm 2']);
    const { count, newest } = await new QuarantineRepository(database, keys).tally(all);
    await setAside('a', 1, ['m 3']);
    await setAside('0', 0, ['m 4']);
    expect(await settle({ kind: 'discard', upTo: newest, atMost: count })).toMatchObject({ done: 2, remaining: 0 });
    expect(await rows(`SELECT topic, partition FROM quarantine WHERE state = 'open' ORDER BY quarantine_id`)).toEqual([
      { topic: 'a', partition: 1 },
      { topic: '0', partition: 0 },
    ]);
  });

  it('are left alone as long as there are more than were counted', async () => {
    await setAside('a', 0, ['m 1', 'm 2', 'm 3']);
    await expect(settle({ kind: 'discard', atMost: 2, limit: 1 })).rejects.toThrow('3 instead of 2');
    expect(await rows(`SELECT count(*) FROM quarantine WHERE state = 'open'`)).toEqual([{ count: 3 }]);
    expect(await settle({ kind: 'discard', atMost: 3, limit: 1 })).toMatchObject({ done: 1, remaining: 2 });
  });

  it('are given up with a trace each', async () => {
    await setAside('a', 0, ['m 1', 'bad', 'm 2']);
    expect(await settle({ kind: 'discard', limit: 2 })).toMatchObject({ done: 2, failed: 0, remaining: 1 });
    expect(await rows('SELECT action FROM operator_action')).toEqual([
      { action: 'quarantine.discard' },
      { action: 'quarantine.discard' },
    ]);
    expect(await purchases()).toEqual([]);
  });

  it('are dealt with once when two operators begin at the same time, and stay in order', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `m ${index}`);
    await setAside('a', 0, texts);
    const both = await Promise.all([settle(), settle()]);
    // Whoever reads the list second may find it shorter by then.
    for (const { done, skipped } of both) expect(done + skipped).toBeLessThanOrEqual(40);
    expect(both[0].done + both[1].done).toBe(40);
    expect(both.map(({ failed }) => failed)).toEqual([0, 0]);
    const inLane = await rows<{ id: string }>('SELECT purchase_id AS id FROM intent ORDER BY seq');
    expect(inLane.map(({ id }) => `m ${id}`)).toEqual(texts);
  });

  it('are each done or untouched when the database goes away on the way, and go on where it came back', async () => {
    await setAside('a', 0, ['m 1', 'm 2', 'm 3', 'm 4']);
    let left = 2;
    const ailing: Database = {
      execute: (statement, parameters) => database.execute(statement, parameters),
      transaction: async (name, work) => {
        left -= 1;
        if (left < 0) throw new DatabaseError(name, 'unavailable', { sqlState: '57P01', cause: null });
        return database.transaction(name, work);
      },
    };
    await expect(settle({ on: ailing })).rejects.toThrow(DatabaseError);
    expect(await purchases()).toEqual(['1', '2']);
    expect(await settle()).toMatchObject({ done: 2, failed: 0, remaining: 0 });
    expect(await purchases()).toEqual(['1', '2', '3', '4']);
  });

  it('regression: wait behind a record batch of which only a part is taken in', async () => {
    await setAside('a', 0, ['m 1', 'm 2', 'm 3']);
    const tried: number[] = [];
    const service = serviceOn(database);
    jest.spyOn(service, 'settle').mockImplementation(async (id) => {
      tried.push(id);
      const options = { status: 409, code: 'partly-resubmitted', title: 'A part', detail: 'Ask again.' };
      if (tried.length === 2) throw new ApiProblem(options);
      return null;
    });
    const many = await service.settleMany({ filter: all, after: first, limit: 9, settling: mended });
    expect(many).toMatchObject({ done: 1, failed: 0, remaining: 2 });
    expect(tried).toHaveLength(2);
    expect(many.last.quarantineId).toBe(tried[0]);
  });

  it('leave a defect of ours with the record that has it', async () => {
    await setAside('a', 0, ['m 1', 'm 2', 'm 3']);
    const service = serviceOn(database);
    const sound = service.settle.bind(service);
    let tried = 0;
    jest.spyOn(service, 'settle').mockImplementation(async (id, settling) => {
      tried += 1;
      if (tried === 2) throw new TypeError('secret');
      return sound(id, settling);
    });
    const many = await service.settleMany({ filter: all, after: first, limit: 9, settling: mended });
    expect(many).toMatchObject({ done: 2, failed: 1, remaining: 0 });
    expect(many.failures[0]?.detail).toBe('Our own code failed on it (TypeError). Please report it.');
    expect(await purchases()).toEqual(['1', '3']);
  });

  it('are left for the next request when one has taken long enough', async () => {
    await setAside('a', 0, ['m 1', 'm 2', 'm 3']);
    let at = 0;
    const slow = Object.assign(new SystemClock(), { monotonic: () => (at += settleManyMsMax / 3) });
    const settling = { kind: 'discard', reason: 'x', actor } as const;
    const request = { filter: all, after: first, limit: 2_000, settling };
    expect(await serviceOn(database, slow).settleMany(request)).toMatchObject({ done: 2, remaining: 1 });
  });
});
