import fc from 'fast-check';

import type { SourceEventName } from '#events';
import type { IngestKeys } from '#intents';
import { MemberKeys, recordBatch, startOffset, QuarantineSettlements } from '#intents';
import type { TypeormDatabase } from '#platform';
import { SystemRandom } from '#platform';
import { testDatabase } from '#test-support';

import type { FetchedRecord } from '#kafka';
import { eventMessage, testPrograms } from '../testing/events.js';
import { openDatabase, sharedKeys } from '../testing/ingest-fixture.js';
import { prepareRecord, recordRouter } from './prepare-record.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const mended = testPrograms();
/** Knows none of the programs. */
const broken = { file: { ...mended.file, programs: {} }, hash: mended.hash };
const shared = sharedKeys();
const random = new SystemRandom();

/** What is said, by small numbers, so that much of it is said twice, or otherwise. */
interface Saying {
  readonly what: readonly [SourceEventName, object];
  readonly member: number;
  readonly id: number;
  readonly thing: number;
  readonly minor: number;
  readonly sequence: number;
  /** It arrives as something that nobody can read. */
  readonly isGarbled: boolean;
  readonly isBinary: boolean;
}

const what = fc.constantFrom<readonly [SourceEventName, object]>(
  ['loyalty.member.enrolled.v1', {}],
  ['loyalty.member.enrolled.v1', { person: { firstName: 'Grace' } }],
  ['loyalty.member.enrolled.v1', { tier: 'platinum' }],
  ['loyalty.member.updated.v1', {}],
  ['loyalty.member.updated.v1', { changed: [] }],
  // Who has left is another matter: what is taken in of them is not sent, though it would have been (left-members.int.spec.ts).
  ['loyalty.member.opted-out.v1', { scope: 'wallet', erase: false }],
  ['loyalty.purchase.completed.v1', {}],
  ['loyalty.purchase.completed.v1', {}],
  ['loyalty.purchase.refunded.v1', {}],
  ['loyalty.purchase.voided.v1', {}],
  ['loyalty.reward.granted.v1', {}],
  ['loyalty.reward.revoked.v1', {}],
);
const small = fc.nat(2);
const saidOnce = fc.array(
  fc.record<Saying>({
    ...{ what, member: small, id: fc.nat(9), thing: small, minor: fc.integer({ min: 1, max: 2 }), sequence: small },
    ...{ isGarbled: fc.boolean(), isBinary: fc.boolean() },
  }),
  { minLength: 1, maxLength: 12 },
);

const sayings = fc.tuple(saidOnce, small).map(([said, again]) => [...said, ...said.slice(0, again)]);

/** What the producer means. */
function meant(saying: Saying, prefix: string, offset: number): FetchedRecord {
  const [name, more] = saying.what;
  const thing = `${prefix}-${saying.thing}`;
  const data = {
    ...{ memberId: `${prefix}-m${saying.member}`, purchaseId: thing, refundId: thing, grantId: thing },
    ...{ total: { minor: saying.minor, currency: 'EUR', digits: 2 }, ...more },
  };
  const frame = { sequence: String(saying.sequence) };
  const { key, value } = eventMessage({ id: `${prefix}-${saying.id}`, name, data, frame });
  const place = { offset, brokerAt: now - 1_000 + offset, key: Buffer.from(String(key)) };
  if (!saying.isBinary) {
    return { ...place, value: Buffer.from(value), headers: { 'content-type': 'application/cloudevents+json' } };
  }
  const { data: body, ...attributes } = JSON.parse(value) as Readonly<Record<string, unknown>>;
  const headers = Object.entries(attributes).map(([attribute, text]) => [`ce_${attribute}`, Buffer.from(String(text))]);
  return {
    ...place,
    value: Buffer.from(JSON.stringify(body)),
    headers: Object.fromEntries(headers) as Record<string, Buffer>,
  };
}

/** One fixture on a database of its own. */
class RouterFixture {
  private constructor(
    readonly database: TypeormDatabase,
    readonly keys: IngestKeys,
    readonly close: () => Promise<void>,
  ) {}

  static async open(): Promise<RouterFixture> {
    const test = await testDatabase();
    const { database, source } = await openDatabase(test.url, 2);
    const members = new MemberKeys(shared.keyring, random);
    const keys = { members, mac: shared.mac, quarantine: shared.quarantine, random };
    return new RouterFixture(database, keys, async () => {
      await source.destroy();
      await test.dispose();
    });
  }

  /** One by one: in which order the rows of one batch are written is no matter here. */
  async ingest(topic: string, records: readonly FetchedRecord[], programs: typeof mended): Promise<void> {
    const source = { clusterId: 'c1', topic, incarnation: 1, partition: 0 };
    await startOffset(this.database, source, 0);
    const context = { source, authority: null, programs: programs.file, now };
    for (const record of records) {
      const range = { fromOffset: record.offset, nextOffset: record.offset + 1 };
      const batch = { source, records: [prepareRecord(record, context)], ...range, now, programsHash: programs.hash };
      await recordBatch(this.database, batch, this.keys);
    }
  }

  /** Everything that was set aside, in order; what was garbled is told as it was meant. */
  async resubmitAll(topic: string, told: readonly (FetchedRecord | null)[]): Promise<void> {
    const route = recordRouter(() => mended, null);
    const rows = await this.rows<{ id: number; offset: number }>(
      `SELECT quarantine_id AS id, kafka_offset AS "offset" FROM quarantine WHERE topic = $1 ORDER BY kafka_offset`,
      topic,
    );
    for (const { id, offset } of rows) {
      const correct = told[offset] ?? null;
      const correction = correct === null ? null : correctionOf(correct);
      const audit = { at: now, actor: 'ada', address: null, reason: 'mended' };
      const request = { quarantineId: id, correction, audit, permit: () => [] };
      await new QuarantineSettlements(this.database, this.keys).resubmit(request, route);
    }
  }

  async rows<Row extends object>(text: string, ...parameters: readonly string[]): Promise<Row[]> {
    return (await this.database.execute<Row>({ name: `spec ${text}`.slice(0, 60), text }, parameters)).rows;
  }

  /** All that is left of a topic and its members, whatever their lanes are numbered. */
  async left(topic: string): Promise<unknown> {
    const of = `m.member_id LIKE $1 || '-%'`;
    const intents = await this.rows<{ lane_id: number; seq: number; payload: Buffer; wrapped_key: Buffer | null }>(
      `SELECT m.member_id, i.*, k.wrapped_key FROM intent i JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
       WHERE ${of} ORDER BY m.member_id, i.seq`,
      topic,
    );
    return {
      intents: intents.map(({ lane_id: laneId, seq, payload, wrapped_key: wrapped, ...row }) => {
        const { pos: _pos, xid: _xid, ...rest } = row as Readonly<Record<string, unknown>>;
        return { ...rest, seq, payload: this.opened(laneId, seq, { payload, wrapped }) };
      }),
      events: await this.rows(
        `SELECT m.member_id, e.seq, e.version, e.attempt, e.epoch, e.type, e.at, e.data FROM intent_history e
         JOIN member m USING (lane_id) WHERE ${of} ORDER BY m.member_id, e.version`,
        topic,
      ),
      identities: await this.rows(
        `SELECT d.key, d.kind, d.body_mac, m.member_id, d.seq FROM dedup d LEFT JOIN member m USING (lane_id) ORDER BY d.key`,
      ),
      lanes: await this.rows(
        `SELECT m.member_id, to_jsonb(l) - 'lane_id' AS lane FROM lane l JOIN member m USING (lane_id) WHERE ${of} ORDER BY 1`,
        topic,
      ),
      members: await this.rows(
        `SELECT to_jsonb(m) - 'lane_id' - 'person_macs' AS member, m.person_macs IS NOT NULL AS "saysWho", k.lane_id IS NOT NULL AS has_key, e.until_seq FROM member m
         LEFT JOIN member_key k USING (lane_id) LEFT JOIN erasure e USING (lane_id) WHERE ${of} ORDER BY m.member_id`,
        topic,
      ),
      aside: await this.rows(
        `SELECT kafka_offset FROM quarantine WHERE topic = $1 AND state = 'open' ORDER BY 1`,
        topic,
      ),
    };
  }

  /** Null for what was sealed with a key that is destroyed. */
  private opened(
    laneId: number,
    seq: number,
    { payload, wrapped }: { readonly payload: Buffer; readonly wrapped: Buffer | null },
  ): string | null {
    if (wrapped === null) return null;
    const memberKey = this.keys.members.learn(laneId, wrapped);
    const place = { column: 'intent.payload', laneId, seq, memberKey } as const;
    try {
      return this.keys.members.openFor(place, payload);
    } catch {
      return null;
    }
  }
}

function correctionOf({ value, headers = {} }: FetchedRecord): { value: string; headersText: string } {
  const texts = Object.entries(headers).map(([name, text]) => [name, String(text)]);
  return { value: String(value), headersText: JSON.stringify(Object.fromEntries(texts)) };
}

describe('what is resubmitted under a mended programs file', () => {
  let fixture: RouterFixture;
  let other: RouterFixture;
  let runs = 0;

  beforeAll(async () => {
    [fixture, other] = await Promise.all([RouterFixture.open(), RouterFixture.open()]);
  });

  afterAll(async () => {
    await Promise.all([fixture.close(), other.close()]);
  });

  it('leaves the same rows as if it had been ingested under it', async () => {
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(sayings, async (said) => {
        const topic = `r${(runs += 1)}`;
        const records = said.map((saying, offset) => meant(saying, topic, offset));
        const arrived = records.map((record, offset) =>
          said[offset]!.isGarbled ? { ...record, value: Buffer.from('{') } : record,
        );
        await fixture.ingest(topic, arrived, broken);
        await fixture.resubmitAll(
          topic,
          records.map((record, offset) => (said[offset]!.isGarbled ? record : null)),
        );
        await other.ingest(topic, records, mended);
        expect(await fixture.left(topic)).toEqual(await other.left(topic));
        const results = await fixture.rows<{ result: string }>('SELECT DISTINCT result FROM quarantine_settlement');
        for (const { result } of results) kinds.add(result);
      }),
      { numRuns: 30, endOnFailure: true },
    );
    expect([...kinds].toSorted()).toEqual(['duplicate', 'ignored', 'recorded']);
  });
});
