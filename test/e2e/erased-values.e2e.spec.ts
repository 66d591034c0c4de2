import { createHash } from 'node:crypto';

import type { JobView } from '#contracts';
import type { JsonValue } from '#intents/core';
import { canonicalJson } from '#intents/core';
import { decodeSourceRecord } from '#events';
import { eventContentText } from '#events/core';
import { waitUntil } from '#embedded';
import { inspectInstallation } from '#intents';
import { keyedDigest, Keyring } from '#platform';
import type { RunningProcess } from '#test-support';
import { queryOnce } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { encryptionKey, openHarness } from './harness.js';
import { readTopic, showTables } from './planted/planted-harness.js';
import type { Shown } from './planted/planted-values.js';
import { findPlanted } from './planted/planted-values.js';
import { asOwner, readProgress, retireSettled } from './store.js';
import type { Emission } from './traffic.js';
import { emission, produce, purchased } from './traffic.js';

/** Half of them ask their shop to be forgotten, half write a letter. */
const erasedCount = 40;
/** Of them everything is found: else a test that finds nothing would say nothing. */
const stayingCount = 5;
const reason = 'asked by letter';
const before = '2026-11-20T09:00:00Z';

interface Person {
  readonly memberId: string;
  readonly values: Readonly<Record<string, string>>;
}

const personOf = (index: number): Person => {
  const digits = String(7_000_000 + index * 7_919);
  return {
    memberId: `m-${index}`,
    values: {
      phone: `+49151${digits}`,
      email: `zelda.${digits}@planted.example`,
      firstName: `Zelda${digits}`,
      note: `bonnet ${digits}`,
      refund: `call Zelda${digits} at 0151 ${digits}`,
    },
  };
};

const people = Array.from({ length: erasedCount + stayingCount }, (_, index) => personOf(index));
const [erased, staying] = [people.slice(0, erasedCount), people.slice(erasedCount)];

/** Sent at another time than all others, under another id. */
function at(time: string, id: string, { topic, message }: Emission): Emission {
  const event = { ...(JSON.parse(String(message.value)) as object), time, id };
  return { topic, message: { ...message, value: JSON.stringify(event) } };
}

/** What is said of a person before the erasure: taken, corrected, stale, ignored, contradictory. */
function told({ memberId, values: { phone, email, firstName, note, refund } }: Person): Emission[] {
  const total = { minor: 250, currency: 'EUR', digits: 2 };
  const enrolled = (more: object): Emission =>
    emission('members', 'member.enrolled', {
      ...{ id: `e-${memberId}`, memberId, person: { firstName, email, phone }, metaData: { note }, ...more },
    });
  const updated = (id: string, message: string | undefined): Emission =>
    emission('members', 'member.updated', { id, memberId, changed: ['message'], message });
  return [
    enrolled({}),
    updated(`u-${memberId}`, `Dear ${firstName}`),
    at(before, `s-${memberId}`, updated(`s-${memberId}`, `stale ${phone}`)),
    at('2026-11-20T10:00:00Z', `a-${memberId}`, enrolled({ message: `again ${firstName}` })),
    purchased(memberId, `${memberId}-p`),
    emission('purchases', 'purchase.refunded', {
      ...{ id: `r-${memberId}`, memberId, refundId: `${memberId}-r`, purchaseId: `${memberId}-p` },
      ...{ storeId: 'berlin-07', total, reason: refund },
    }),
    emission('purchases', 'purchase.voided', {
      ...{ id: `v-${memberId}`, memberId, purchaseId: `${memberId}-none`, storeId: 'berlin-07', total, reason: refund },
    }),
    emission('members', 'member.updated', { id: `n-${memberId}`, memberId, changed: [], message: `${note} ${phone}` }),
  ];
}

const forgotten = (memberId: string): Emission =>
  at(
    new Date().toISOString(),
    `x-${memberId}`,
    emission('members', 'member.opted-out', { id: '', memberId, scope: 'program', erase: true }),
  );

/** Late, from before the erasure, under ids that nobody has seen. */
function late({ memberId, values: { phone, firstName } }: Person): Emission[] {
  const person = { firstName, phone };
  return [emission('members', 'member.enrolled', { id: `late-${memberId}`, memberId, person })];
}

/** Every digest that whoever has the database and the master key can make of what they suppose was said, as hex. */
function guesses(emissions: readonly Emission[], macKey: Uint8Array): string[] {
  return emissions.flatMap(({ message }) => {
    const decoded = decodeSourceRecord({
      value: Buffer.from(String(message.value)),
      headers: { 'content-type': 'application/cloudevents+json' },
      now: Date.now(),
    });
    if (decoded.kind !== 'event') throw new Error(`not an event: ${String(message.value)}`);
    const texts = [eventContentText(decoded.event), canonicalJson(decoded.event.sentData as JsonValue)];
    return texts.flatMap((text) => [
      keyedDigest(macKey, text).toString('hex'),
      createHash('sha256').update(text).digest('hex').slice(0, 32),
    ]);
  });
}

describe('after forty erasures', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let shown: readonly Shown[];
  let macKey: Uint8Array;

  beforeAll(async () => {
    harness = await openHarness();
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens, LOG_LEVEL: 'trace' });
    await produce(harness.broker, harness.topics, people.flatMap(told));
    await ingested(people.flatMap(told).length);
    await waitUntil(async () => (await readProgress(harness.database.url)).moving === 0 || undefined, {
      ...{ what: 'every lane to be idle or blocked', timeoutMs: 120_000, intervalMs: 100 },
    });
    await makeExport();
    await retire();
    await erase();
    await produce(harness.broker, harness.topics, erased.flatMap(late));
    await ingested(people.length + erased.length, '"stale"');
    shown = await dump();
    macKey = await asOwner(harness.database, async (database) => {
      const { keys } = (await inspectInstallation(database, new Keyring([Buffer.from(encryptionKey, 'base64')])))!;
      return keys!.mac;
    });
  });

  afterAll(async () => {
    await harness.close();
  });

  const admin = (): ApiClient => new ApiClient(daemon, 'admin');

  async function jobIsDone(path: string): Promise<void> {
    const look = async (): Promise<true | undefined> =>
      ((await admin().get(path)).body as JobView).state === 'done' || undefined;
    await waitUntil(look, { what: path, timeoutMs: 60_000, intervalMs: 100 });
  }

  async function makeExport(): Promise<void> {
    const order = { id: 'everything', reason, includePersonal: true };
    expect(await admin().post('/jobs', { kind: 'export', ...order })).toMatchObject({ status: 200 });
    await jobIsDone('/jobs/everything');
    expect((await admin().get('/jobs/everything')).body).toMatchObject({
      report: { digest: expect.any(String) as string },
    });
  }

  async function retire(): Promise<void> {
    const hasLeft = async (): Promise<true | undefined> => (await retireSettled(harness.database)) > 0 || undefined;
    await waitUntil(hasLeft, { what: 'something to leave', timeoutMs: 30_000 });
  }

  async function erase(): Promise<void> {
    const { database, broker, topics } = harness;
    await produce(
      broker,
      topics,
      erased.slice(0, erasedCount / 2).map(({ memberId }) => forgotten(memberId)),
    );
    for (const { memberId } of erased.slice(erasedCount / 2)) {
      const order = { id: `erase-${memberId}`, program: 'coffee-club', memberId, reason };
      expect(await admin().post('/jobs', { kind: 'erase', ...order })).toMatchObject({ status: 200 });
    }
    for (const { memberId } of erased.slice(erasedCount / 2)) await jobIsDone(`/jobs/erase-${memberId}`);
    const isDone = async (): Promise<true | undefined> => {
      // As if the transactions of that time were long over, and the export older still.
      await queryOnce(database.ownerUrl, `UPDATE job SET created_at = LEAST(created_at, now() - interval '5 minutes')`);
      await queryOnce(
        database.ownerUrl,
        `UPDATE digest_erasure SET since = LEAST(since, now() - interval '2 minutes')`,
      );
      const [row] = await queryOnce<{ left: number }>(
        database.url,
        `SELECT (SELECT count(*) FROM digest_erasure) + (SELECT count(*) FROM erasure)
           + (SELECT ${erasedCount} - count(*) FROM member WHERE erased_seq > 0) AS left`,
      );
      return Number(row?.left) === 0 || undefined;
    };
    await waitUntil(isDone, { what: 'the erasures', timeoutMs: 120_000, intervalMs: 500 });
  }

  async function ingested(count: number, result = ''): Promise<void> {
    const isCounted = async (): Promise<true | undefined> => {
      const lines = (await metrics()).split('\n').filter((line) => line.startsWith('loyaltyd_events_ingested_total'));
      const counts = lines.filter((line) => line.includes(result)).map((line) => Number(line.split(' ').at(-1)));
      return counts.reduce((sum, each) => sum + each, 0) >= count || undefined;
    };
    await waitUntil(isCounted, { what: `${count} ${result} events`, timeoutMs: 120_000, intervalMs: 100 });
  }

  const metrics = async (): Promise<string> => (await fetch(`${String(daemon.ready['operations'])}/metrics`)).text();

  async function dump(): Promise<Shown[]> {
    const { broker, topics, database } = harness;
    return [
      ...(await showTables(database.ownerUrl)),
      { where: 'outcomes', text: await readTopic(broker, topics.outcomes, ({ value }) => String(value)) },
      { where: 'audit', text: await readTopic(broker, topics.audit, ({ value }) => String(value)) },
      { where: 'logs', text: harness.output() },
      { where: 'metrics', text: await metrics() },
    ];
  }

  const hits = (wanted: readonly string[]): number => {
    const text = shown.map((place) => place.text).join('\n');
    return wanted.filter((guess) => text.includes(guess)).length;
  };

  it('no search finds one of their values', () => {
    const found = erased.flatMap(({ values }) => findPlanted(shown, values));
    expect(found).toEqual([]);
  });

  it('no guess finds what they had said, with the database and the master key', () => {
    expect(hits(guesses([...erased.flatMap(told), ...erased.flatMap(late)], macKey))).toBe(0);
    // Of those who stay: the enrolment under both keys, its correction, update, stale one, purchase, refund and void.
    expect(hits(guesses(staying.flatMap(told), macKey))).toBeGreaterThanOrEqual(6 * staying.length);
  });

  it('nobody has come back, and no digest of an exported file is kept', async () => {
    const [row] = await queryOnce<{ back: number; digests: number }>(
      harness.database.ownerUrl,
      `SELECT (SELECT count(*)::int FROM member_key JOIN member USING (lane_id) WHERE erased_seq > 0) AS back,
         (SELECT count(*)::int FROM job WHERE report ? 'digest' OR cursor ? 'digest') AS digests`,
    );
    expect(row).toEqual({ back: 0, digests: 0 });
  });
});
