import { queryOnce } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import type { LedgerEntry } from './partner.js';
import { breakPartner, readLedger } from './partner.js';
import type { IntentStatusRow } from './store.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { enrolled, granted, produce, purchased, refunded } from './traffic.js';

const memberCount = 40;
const purchasesPerMember = 4;
/** The latest effect comes a good second before it is looked for. */
const [lateMs, inFlightMs] = [300, 1_400];
const members = Array.from({ length: memberCount }, (_, index) => `m-${index}`);

interface FaultRule {
  readonly operation: string;
  readonly kind: string;
  readonly probability: number;
  readonly count: number;
  readonly ms?: number;
}

/** Answers that say nothing, before the effect, after it, and long before it. They stop by themselves. */
function silentAnswers(operation: string, count: number): FaultRule[] {
  const kinds = ['drop-before', 'drop-after', 'error-before', 'error-after', 'truncated', 'garbage', 'empty'];
  const rules = kinds.map((kind) => ({ operation, kind, probability: 0.08, count }));
  return [...rules, { operation, kind: 'commit-late', probability: 0.08, count, ms: lateMs }];
}

async function struckCount(sandboxUrl: string): Promise<number> {
  const response = await fetch(`${sandboxUrl}/__faults`);
  const { rules } = (await response.json()) as { rules: { struck: number }[] };
  return rules.reduce((sum, { struck }) => sum + struck, 0);
}

function traffic(): Emission[] {
  const rounds = Array.from({ length: purchasesPerMember }, (_, index) =>
    members.map((memberId) => purchased(memberId, `${memberId}-p${index}`)),
  );
  const refunds = members.map((memberId) => refunded(memberId, `${memberId}-p0`, `${memberId}-r0`));
  return [...members.map(enrolled), ...rounds.flat(), ...refunds];
}

function grants(): Emission[] {
  return members.map((memberId) => granted(memberId, `g-${memberId}`));
}

function nameOf(entry: LedgerEntry): string {
  return `${entry.operation} ${entry.key ?? entry.uniqueId ?? '?'}`;
}

function expectedOf(memberId: string): string[] {
  const purchases = Array.from({ length: purchasesPerMember }, (_, index) => `transaction ${memberId}-p${index}`);
  return [`issue ${memberId}`, ...purchases, `transaction ${memberId}-r0`, `reward ${memberId}`];
}

async function settle(harness: Harness, count: number): Promise<IntentStatusRow[]> {
  await awaitRest(harness.database.url, count);
  return readIntentStatuses(harness.database.url);
}

async function resolutions(harness: Harness): Promise<Map<string, number>> {
  const rows = await queryOnce<{ what: string; times: string }>(
    harness.database.url,
    `SELECT concat_ws(' ', type, data->>'evidence', data->>'basis') AS what, count(*) AS times FROM intent_history
     WHERE type IN ('VerifiedApplied', 'VerifiedAbsent', 'ResendDecided') GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ what, times }) => [what, Number(times)]));
}

const mapping = programsFile.replace(', sticker: "9002"', '').replace(/inFlightMs: \d+/, `inFlightMs: ${inFlightMs}`);
const programs = `${mapping}    onUnknown: { reward: probe }\n`;

describe('a partner that often does not say what became of a call', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness(programs);
  });

  afterAll(async () => {
    await harness.close();
  });

  it('is found out: everything takes effect once, in order, and only what cannot be told is left to a person', async () => {
    const { broker, topics, sandboxUrl } = harness;
    const operations = ['issue', 'transaction', 'reward'];
    const rules = operations.flatMap((operation) => silentAnswers(operation, 12));
    await breakPartner(sandboxUrl, rules, 11);
    await harness.startDaemon({ WALLET_TIMEOUT_MS: '2000' });
    const emissions = [...traffic(), ...grants()];
    await produce(broker, topics, traffic());
    await settle(harness, traffic().length);
    // Points read right after another call prove nothing: what probes must find out comes to calm lanes.
    await produce(broker, topics, grants());
    const standings = await settle(harness, emissions.length);

    const ledger = await readLedger(sandboxUrl);
    const counts = Map.groupBy(ledger, nameOf);
    const parked = standings.filter(({ lastEvent }) => lastEvent === 'IntentParked');
    const settledBy = await resolutions(harness);
    process.stderr.write(
      `${await struckCount(sandboxUrl)} faults; ${JSON.stringify(Object.fromEntries(settledBy))}; ` +
        `${parked.length} of ${standings.length} parked\n`,
    );
    const inDoubt = new Set(parked.map(({ memberId }) => `reward ${memberId}`));
    expect([...counts].filter(([, entries]) => entries.length > 1)).toEqual([]);
    expect(members.flatMap(expectedOf).filter((name) => !counts.has(name) && !inDoubt.has(name))).toEqual([]);
    expect(parked.map(({ operation, parkedReason }) => [operation, parkedReason])).toEqual(
      parked.map(() => ['reward', 'unknown-outcome']),
    );
    for (const how of [
      'VerifiedApplied pass-found',
      'VerifiedAbsent lookup-and-listing',
      'ResendDecided unique-attribute',
      'VerifiedApplied duplicate-refusal',
      'VerifiedApplied points',
    ]) {
      expect([how, settledBy.get(how) ?? 0]).not.toEqual([how, 0]);
    }
    const byMember = Map.groupBy(ledger, ({ uniqueId }) => uniqueId);
    for (const memberId of members) {
      const order = (byMember.get(memberId) ?? []).map(nameOf).filter((name) => name.startsWith('transaction'));
      expect(order).toEqual(expectedOf(memberId).filter((name) => name.startsWith('transaction')));
    }
    const { violations, exposures, figures, retailer } = await judgeHarness(harness, { programs });
    process.stderr.write(`${JSON.stringify(figures)}\n`);
    expect(violations).toEqual([]);
    expect(exposures).toEqual({});
    expect(retailer).toMatchObject({ first: [], unbounded: [], judged: { records: emissions.length } });
    expect(figures).toMatchObject({ intents: emissions.length, effects: ledger.length });
    // Under another programs file the same run is not right: the judge is awake.
    const under = await judgeHarness(harness, { programs: programs.replace('reward: probe', 'reward: park') });
    expect(under.violations[0]).toMatchObject({
      invariant: 'I24',
      problem: expect.stringContaining('points') as string,
    });
  });
});
