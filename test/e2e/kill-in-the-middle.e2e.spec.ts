import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { judgeHarness } from './judge-run.js';
import type { LedgerEntry } from './partner.js';
import { awaitEffects, ledgerSize, readLedger } from './partner.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased } from './traffic.js';

const memberCount = 500;
const purchasesPerMember = 8;
const killAfterEffects = 1_500;
/** No more attempts can be open at once than requests under way plus one group commit of begun ones. */
const openAttemptsMax = 256;

const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);

function purchaseId(memberId: string, index: number): string {
  return `${memberId}-p${index}`;
}

/** Per round one thing per member, so that every lane is in the middle of its work when the daemon dies. */
function traffic(): Emission[] {
  const rounds = Array.from({ length: purchasesPerMember }, (_, index) =>
    members.map((memberId) => purchased(memberId, purchaseId(memberId, index))),
  );
  return [...members.map(enrolled), ...rounds.flat(), ...members.map((memberId) => granted(memberId, `g-${memberId}`))];
}

function effectOf(entry: LedgerEntry): string {
  return `${entry.operation} ${entry.key ?? entry.uniqueId ?? '?'}`;
}

function expectedEffects(memberId: string): string[] {
  const purchases = Array.from({ length: purchasesPerMember }, (_, index) => purchaseId(memberId, index));
  return [`issue ${memberId}`, ...purchases.map((id) => `transaction ${id}`), `reward ${memberId}`];
}

describe('a daemon killed in the middle of 5,000 events', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  it('loses nothing, does nothing twice, keeps the order, and parks only what no evidence can settle', async () => {
    const emissions = traffic();
    const { broker, topics, database, sandboxUrl } = harness;
    const first = await harness.startDaemon();
    await produce(broker, topics, emissions);
    await awaitEffects(sandboxUrl, killAfterEffects);
    first.kill('SIGKILL');
    await first.exited;
    const atKill = await ledgerSize(sandboxUrl);
    await harness.startDaemon();
    await awaitRest(database.url, emissions.length);

    const ledger = await readLedger(sandboxUrl);
    const standings = await readIntentStatuses(database.url);
    const unknown = standings.filter((row) => row.parkedReason === 'unknown-outcome');
    const counts = Map.groupBy(ledger, effectOf);
    const excused = new Set(unknown.map((row) => `reward ${row.memberId}`));
    const expected = members.flatMap(expectedEffects);
    process.stderr.write(
      `kill at ${atKill} effects: ${ledger.length} effects in the end, ${unknown.length} parked as unknown, ` +
        `${expected.length - excused.size} of ${expected.length} sure\n`,
    );

    expect(atKill).toBeLessThan(emissions.length);
    expect([...counts].filter(([, entries]) => entries.length > 1)).toEqual([]);
    expect(expected.filter((effect) => !counts.has(effect) && !excused.has(effect))).toEqual([]);
    expect(ledger.map(effectOf).filter((effect) => !expected.includes(effect))).toEqual([]);
    expect(standings.filter((row) => row.lastEvent === 'IntentParked')).toEqual(unknown);
    // An issue is looked up, a unique transaction is sent again: only a reward leaves nothing to go by.
    expect(unknown.map((row) => row.operation)).toEqual(unknown.map(() => 'reward'));
    expect(unknown.length).toBeLessThanOrEqual(openAttemptsMax);
    const byMember = Map.groupBy(ledger, (entry) => entry.uniqueId);
    for (const memberId of members) {
      const order = (byMember.get(memberId) ?? []).map(effectOf);
      const wanted = expectedEffects(memberId).filter((effect) => counts.has(effect));
      const purchases = (effects: readonly string[]): string[] =>
        effects.filter((effect) => !effect.startsWith('reward'));
      expect(purchases(order)).toEqual(purchases(wanted));
    }
    const { violations, exposures, figures, retailer } = await judgeHarness(harness);
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    expect(violations).toEqual([]);
    expect(exposures).toEqual({});
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: emissions.length } });
    expect(figures).toMatchObject({ intents: emissions.length, effects: ledger.length });
  });
});
