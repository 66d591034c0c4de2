import fc from 'fast-check';

import type { SourceEventName } from '#events';
import {
  type IngestKeys,
  MemberKeys,
  NotIngestedError,
  ReadAgainRepository,
  type ReadAgainResult,
  recordBatch,
  startOffset,
} from '#intents';
import type { FetchedRecord } from '#kafka';
import type { TypeormDatabase } from '#platform';
import { SystemRandom } from '#platform';
import { queryOnce, type TestDatabase, testDatabase } from '#test-support';

import { eventMessage, testPrograms } from '../testing/events.js';
import { openDatabase, sharedKeys } from '../testing/ingest-fixture.js';
import { prepareRecord } from './prepare-record.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const programs = testPrograms();
const random = new SystemRandom();

interface Saying {
  readonly what: readonly [SourceEventName, object];
  readonly member: number;
  readonly id: number;
  readonly thing: number;
  readonly minor: number;
  readonly sequence: number;
  readonly isGarbled: boolean;
}

const what = fc.constantFrom<readonly [SourceEventName, object]>(
  ['loyalty.member.enrolled.v1', {}],
  ['loyalty.member.enrolled.v1', { person: { firstName: 'Grace' } }],
  ['loyalty.member.updated.v1', {}],
  ['loyalty.member.opted-out.v1', { scope: 'wallet', erase: false }],
  ['loyalty.member.opted-out.v1', { scope: 'wallet', erase: true }],
  ['loyalty.purchase.completed.v1', {}],
  ['loyalty.purchase.completed.v1', {}],
  ['loyalty.purchase.refunded.v1', {}],
  ['loyalty.purchase.voided.v1', {}],
  ['loyalty.reward.granted.v1', {}],
  ['loyalty.reward.revoked.v1', {}],
);
const small = fc.nat(2);
const sayings = fc.array(
  fc.record<Saying>({
    ...{ what, member: small, id: fc.nat(9), thing: small, minor: fc.integer({ min: 1, max: 2 }), sequence: small },
    isGarbled: fc.integer({ min: 0, max: 4 }).map((of) => of === 0),
  }),
  { minLength: 1, maxLength: 12 },
);

let test: TestDatabase;
let database: TypeormDatabase;
let keys: IngestKeys;
let close: () => Promise<void>;
let runs = 0;

beforeAll(async () => {
  test = await testDatabase();
  const opened = await openDatabase(test.url, 2);
  database = opened.database;
  const { keyring, ...secrets } = sharedKeys();
  keys = { members: new MemberKeys(keyring, random), ...secrets, random };
  close = () => opened.source.destroy();
});

afterAll(async () => {
  await close();
  await test.dispose();
});

/** A topic of its own, with members of its own. */
class Topic {
  readonly source = { clusterId: 'c1', topic: `t${(runs += 1)}`, incarnation: 1, partition: 0 };
  readonly records: FetchedRecord[];

  constructor(said: readonly Saying[]) {
    this.records = said.map((saying, offset) => this.recordOf(saying, offset));
  }

  /** As ingest does; what it passes over, it misses. */
  async ingest(misses: (offset: number) => boolean = () => false): Promise<void> {
    await startOffset(database, this.source, 0);
    for (const record of this.records) {
      const range = { fromOffset: record.offset, nextOffset: record.offset + 1 };
      const records = misses(record.offset) ? [] : [this.prepared(record)];
      await recordBatch(database, { source: this.source, records, ...range, now, programsHash: programs.hash }, keys);
    }
  }

  async readAgain({ isDryRun = false, knownSince = 0 } = {}): Promise<readonly ReadAgainResult[]> {
    const records = this.records.map((record) => this.prepared(record));
    const range = { nextOffset: records.length };
    const batch = { source: this.source, records, ...range, now: now + 1_000, programsHash: programs.hash };
    const read = await new ReadAgainRepository(database, keys).record({ ...batch, isDryRun, knownSince });
    return read.map(({ result }) => result);
  }

  private prepared(record: FetchedRecord) {
    return prepareRecord(record, { source: this.source, authority: null, programs: programs.file, now });
  }

  private recordOf({ what: [name, more], isGarbled, ...saying }: Saying, offset: number): FetchedRecord {
    const { topic: prefix } = this.source;
    const thing = `${prefix}-${saying.thing}`;
    const data = {
      ...{ memberId: `${prefix}-m${saying.member}`, purchaseId: thing, refundId: thing, grantId: thing },
      ...{ total: { minor: saying.minor, currency: 'EUR', digits: 2 }, ...more },
    };
    const frame = { sequence: String(saying.sequence) };
    const { key, value } = eventMessage({ id: `${prefix}-${saying.id}`, name, data, frame });
    return {
      ...{ offset, brokerAt: now - 1_000 + offset, key: Buffer.from(String(key)) },
      value: Buffer.from(isGarbled ? '{' : value),
      headers: { 'content-type': 'application/cloudevents+json' },
    };
  }
}

/** A digest of every row, by table. */
async function everything(): Promise<string[]> {
  const tables = await queryOnce<{ name: string }>(
    test.ownerUrl,
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  const texts = tables.map(
    ({ name }) =>
      `SELECT '${name} ' || COALESCE(md5(string_agg(t::text, ' ' ORDER BY t::text)), '-') AS row FROM ${name} t`,
  );
  const rows = await queryOnce<{ row: string }>(test.ownerUrl, texts.join(' UNION ALL '));
  return rows.map(({ row }) => row).sort();
}

const count = (results: readonly ReadAgainResult[], kind: ReadAgainResult['kind']): number =>
  results.filter((result) => result.kind === kind).length;

const sale = (thing: number): Saying => ({
  ...{ what: ['loyalty.purchase.completed.v1', {}], member: 0, id: thing, thing, minor: 1, sequence: 0 },
  isGarbled: false,
});

describe('a topic that is read again', () => {
  it('changes nothing where nothing was missed, not a row of a table', async () => {
    await fc.assert(
      fc.asyncProperty(sayings, async (said) => {
        const topic = new Topic(said);
        await topic.ingest();
        const before = await everything();
        const results = await topic.readAgain();
        expect(results).toHaveLength(said.length);
        expect(count(results, 'recorded') + count(results, 'quarantined')).toBe(0);
        expect(await everything()).toEqual(before);
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('has what was missed recorded, once; a dry run says so and changes nothing', async () => {
    const topic = new Topic([sale(1), sale(2), { ...sale(3), isGarbled: true }, sale(4)]);
    await topic.ingest((offset) => offset === 1);
    const before = await everything();
    const foretold = await topic.readAgain({ isDryRun: true });
    expect(await everything()).toEqual(before);
    const results = await topic.readAgain();
    expect(results).toEqual(foretold);
    expect(results.map(({ kind }) => kind)).toEqual(['ignored', 'recorded', 'aside', 'ignored']);
    const after = await everything();
    expect(await topic.readAgain()).toMatchObject([{ kind: 'ignored' }, { reason: 'duplicate-event' }, {}, {}]);
    expect(await everything()).toEqual(after);
  });

  it('would show a sale that counts twice: its identity is forgotten', async () => {
    const topic = new Topic([sale(1)]);
    await topic.ingest();
    const before = await everything();
    await queryOnce(
      test.ownerUrl,
      'ALTER TABLE dedup DISABLE TRIGGER USER; DELETE FROM dedup; ALTER TABLE dedup ENABLE TRIGGER USER',
    );
    expect(count(await topic.readAgain(), 'recorded')).toBe(1);
    expect(await everything()).not.toEqual(before);
  });

  it('takes nothing that may be forgotten, nor what ingest has not read', async () => {
    const topic = new Topic([sale(1)]);
    await topic.ingest(() => true);
    expect(await topic.readAgain({ knownSince: now })).toEqual([{ kind: 'too-old' }]);
    const unread = new Topic([sale(1)]);
    await startOffset(database, unread.source, 0);
    await expect(unread.readAgain()).rejects.toThrow(NotIngestedError);
  });
});
