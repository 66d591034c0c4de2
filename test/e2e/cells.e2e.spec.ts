import { waitUntil } from '#embedded';
import type { RunningProcess, TestDatabase } from '#test-support';
import { queryOnce, testDatabase } from '#test-support';

import { readDeadLetters } from './dead-letters.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness } from './judge-run.js';
import type { LedgerEntry } from './partner.js';
import { readLedger } from './partner.js';
import { readProgress } from './store.js';
import type { Emission } from './traffic.js';
import { emission, enrolled, granted, produce, purchased, refunded } from './traffic.js';

const memberCount = 300;
const purchasesPerMember = 5;
const oddRounds = 25;
const membersPerCellMin = 110;

const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);
const leavers = members.filter((_, index) => index % 15 === 0);
const merging = members.filter((_, index) => index % 30 === 1);

const purchaseId = (memberId: string, index: number): string => `${memberId}-p${index}`;
const refundId = (memberId: string): string => `${memberId}-r`;

function optedOut(memberId: string): Emission {
  return emission('members', 'member.opted-out', { id: `o-${memberId}`, memberId, scope: 'sms' });
}

/** Absorbs its neighbour, whom another cell may have. */
function merged(memberId: string, index: number): Emission {
  const absorbed = [members[members.indexOf(memberId) + 1] ?? ''];
  return emission('members', 'member.merged', { id: `x-${index}`, memberId, absorbed });
}

function traffic(): Emission[] {
  const rounds = Array.from({ length: purchasesPerMember }, (_, index) =>
    members.map((memberId) => purchased(memberId, purchaseId(memberId, index))),
  );
  return [
    ...members.map(enrolled),
    ...rounds.flat(),
    ...members.map((memberId) => refunded(memberId, purchaseId(memberId, 0), refundId(memberId))),
    ...members.map((memberId) => granted(memberId, `g-${memberId}`)),
    ...leavers.map(optedOut),
    ...merging.map(merged),
  ];
}

/** What becomes no intent: two for the quarantine, a sale without a card, a tombstone, an event told twice. */
function oddities(index: number): readonly [Emission, Emission, Emission, Emission, Emission] {
  const memberId = `m-${index}`;
  const sale = { purchaseId: `a-${index}`, total: { minor: 100, currency: 'EUR' } };
  return [
    emission('purchases', 'purchase.completed', { id: `bad-${index}`, memberId }),
    { topic: 'purchases', message: { key: memberId, value: `{ ${index}` } },
    emission('purchases', 'purchase.completed', { id: `a-${index}`, memberId: '', ...sale }),
    { topic: 'rewards', message: { key: memberId, value: null } },
    purchased(memberId, purchaseId(memberId, 0)),
  ];
}

function expectedEffects(memberId: string): string[] {
  const purchases = Array.from({ length: purchasesPerMember }, (_, index) => purchaseId(memberId, index));
  return [
    'issue',
    ...[...purchases, refundId(memberId)].map((key) => `transaction ${key}`),
    'reward',
    ...(leavers.includes(memberId) ? ['update-via-workflow'] : []),
  ];
}

function effectOf({ operation, key }: LedgerEntry): string {
  return operation === 'transaction' ? `transaction ${key ?? '?'}` : operation;
}

const transactionsOf = (effects: readonly string[]): string[] =>
  effects.filter((effect) => effect.startsWith('transaction'));

async function membersOf(url: string): Promise<string[]> {
  const rows = await queryOnce<{ member_id: string }>(url, 'SELECT member_id FROM member JOIN lane USING (lane_id)');
  return rows.map((row) => row.member_id);
}

async function quarantineOf(url: string): Promise<string[]> {
  const rows = await queryOnce<{ place: string }>(
    url,
    `SELECT topic || '/' || partition || '@' || kafka_offset AS place FROM quarantine`,
  );
  return rows.map(({ place }) => place);
}

/** How many records came to what, over all topics. */
async function countsOf(daemon: RunningProcess): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${String(daemon.ready['operations'])}/metrics`)).text();
  const counts: Record<string, number> = {};
  for (const [, result = '', count] of text.matchAll(
    /^loyaltyd_events_ingested_total\{.*result="(.+?)"\} ([1-9]\d*)$/gm,
  )) {
    counts[result] = (counts[result] ?? 0) + Number(count);
  }
  return counts;
}

describe('two cells on the same topics', () => {
  const odd = Array.from({ length: oddRounds }, (_, index) => oddities(index));
  const owed = traffic();
  let harness: Harness;
  let secondDatabase: TestDatabase;
  let urls: readonly [string, string];
  let daemons: readonly RunningProcess[] = [];

  const startCell = (index: number, more: Readonly<Record<string, string>> = {}): Promise<RunningProcess> =>
    harness.startDaemon({
      LOYALTYD_CELL: `${index}/2`,
      DATABASE_URL: urls[index] ?? '',
      KAFKA_GROUP_ID: `${harness.topics.groupId}.${index}`,
      ...more,
    });

  beforeAll(async () => {
    [harness, secondDatabase] = await Promise.all([openHarness(), testDatabase()]);
    urls = [harness.database.url, secondDatabase.url];
    daemons = await Promise.all([startCell(0), startCell(1)]);
    await produce(harness.broker, harness.topics, [...owed, ...odd.flat()]);
    await waitUntil(
      async () => {
        const progress = await Promise.all(urls.map(readProgress));
        const counts = await Promise.all(daemons.map(countsOf));
        const seen = counts.map((results) => Object.values(results).reduce((sum, count) => sum + count, 0));
        const isRead = seen.every((count) => count >= owed.length + odd.flat().length);
        return (isRead && progress.every(({ moving }) => moving === 0)) || undefined;
      },
      { what: 'both cells to have read everything and to be at rest', timeoutMs: 120_000 },
    );
  }, 300_000);

  afterAll(async () => {
    await harness.close();
    await secondDatabase.dispose();
  }, 60_000);

  it('have each member in exactly one database, and a fair share of them', async () => {
    const shares = await Promise.all(urls.map(membersOf));
    process.stderr.write(`members per cell: ${shares.map(({ length }) => length).join(', ')}\n`);
    expect(shares.flat().toSorted()).toEqual([...members].toSorted());
    for (const share of shares) expect(share.length).toBeGreaterThanOrEqual(membersPerCellMin);
  });

  it('have together brought the partner exactly what was asked for, each member in order', async () => {
    const byMember = Map.groupBy(await readLedger(harness.sandboxUrl), ({ uniqueId }) => uniqueId);
    expect([...byMember.keys()].toSorted()).toEqual([...members].toSorted());
    for (const memberId of members) {
      const effects = (byMember.get(memberId) ?? []).map(effectOf);
      expect(effects.toSorted()).toEqual(expectedEffects(memberId).toSorted());
      expect(effects[0]).toBe('issue');
      expect(transactionsOf(effects)).toEqual(transactionsOf(expectedEffects(memberId)));
    }
  });

  it('count each record once between them; the other one counts it as not its own', async () => {
    const counts = await Promise.all(daemons.map(countsOf));
    const sum = (result: string): number => counts.reduce((total, results) => total + (results[result] ?? 0), 0);
    process.stderr.write(`${JSON.stringify(counts)}\n`);
    expect(sum('recorded')).toBe(owed.length);
    expect(sum('quarantined')).toBe(2 * oddRounds);
    for (const reason of ['no-member', 'tombstone', 'duplicate-event']) expect(sum(reason)).toBe(oddRounds);
    expect(sum('other-cell')).toBe(owed.length + odd.flat().length);
  });

  it('set each refused record aside in one of them, and write its dead letter once', async () => {
    const places = (await Promise.all(urls.map(quarantineOf))).flat();
    expect(places).toHaveLength(2 * oddRounds);
    const letters = await readDeadLetters(harness, places.length);
    expect(letters.toSorted()).toEqual(places.toSorted());
    const waiting = await Promise.all(urls.map((url) => queryOnce(url, 'SELECT * FROM dead_letter_outbox')));
    expect(waiting.flat()).toEqual([]);
  });

  it('keep every promise, judged as one harness', async () => {
    const { violations, exposures, figures, retailer } = await judgeHarness(harness, { cells: urls });
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    expect(violations).toEqual([]);
    expect(exposures).toEqual({});
    const records = owed.length + odd.flat().length;
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records } });
    expect(figures).toMatchObject({ intents: owed.length, lanes: memberCount });
  });

  it.each(['1/2', '0/3', '0/1'])('regression: refuses to start as %s on the database of 0/2', async (cell) => {
    const refusal = startCell(0, { LOYALTYD_CELL: cell }).catch((error: unknown) => String(error));
    expect(await refusal).toMatch(new RegExp(`ended with 2[^]*belongs to cell 0/2, not ${cell}`));
  });

  it('let a process that does not consume work on any of them', async () => {
    const daemon = await startCell(1, { LOYALTYD_CELL: '0/1', LOYALTYD_ROLES: 'delivery' });
    expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  });
});
