import { isDeepStrictEqual } from 'node:util';

import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';
import { programCommand, queryOnce, startProcess } from '#test-support';

import { ApiClient, apiTokens } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { runProgram } from './loyaltyd.js';
import type { LedgerEntry } from './partner.js';
import { awaitEffects, ledgerSize, readLedger } from './partner.js';
import { awaitRest, copyDatabase, dropDatabase, endLeases, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { emission, enrolled, granted, produce, purchased, refunded } from './traffic.js';

/** Refunds are of a type without a unique value, so that nothing recognises them a second time. */
const programs = programsFile.replace(
  /refunded: .*/,
  'refunded: { transactionTypeId: "33", sign: -1 }\n    limits: { requestsPerSecond: 150 }',
);
const perPhase = 40;
/** Effects of the first phase at which the copy is taken: in the middle. */
const copyAfterEffects = 60;
/** Where a record is produced later than the recovery's start, its broker's time says so. */
const laterMs = 600_000;
const soon = { timeoutMs: 60_000 };
/** Everything of a lane but its lease and its counters: these begin anew. */
const lanesQuery = `
SELECT lane_id, program_id, version, head_seq, tail_seq, cur_seq, attempt_open, redo, ahead, issue_seq, pass, state
FROM lane ORDER BY lane_id`;

/** `before` the copy, `lost` after it, `unread` when nobody consumed, `after` the recovery began. */
type Phase = 'before' | 'lost' | 'unread' | 'after';

function members(phase: Phase): string[] {
  return Array.from({ length: perPhase }, (_, index) => `${phase}-${index}`);
}

/** One of everything for each member; nothing that is recognised by its value but the purchases. */
function traffic(phase: Phase): Emission[] {
  const names = members(phase);
  return [
    ...names.map(enrolled),
    ...names.map((name) => purchased(name, `${name}-p`)),
    ...names.map((name) => refunded(name, `${name}-p`, `${name}-r`)),
    ...names.map((name) => granted(name, `${name}-g`)),
  ];
}

function produced({ topic, message }: Emission, at: number): Emission {
  return { topic, message: { ...message, timestamp: String(at) } };
}

/** A refund has no key of its own at the partner. */
function effectOf({ operation, key, uniqueId }: LedgerEntry): string {
  return `${operation === 'transaction' && key === null ? 'refund' : operation} ${uniqueId ?? '?'}`;
}

interface ParkedRow {
  readonly memberId: string;
  readonly seq: number;
  readonly operation: string;
  readonly eventType: string;
  readonly code: string;
}

function parkedEffect({ operation, memberId }: ParkedRow): string {
  return `${operation === 'transaction' ? 'refund' : operation} ${memberId}`;
}

describe('a database restored to a moment in the middle of traffic', () => {
  let harness: Harness;
  let copy: string;
  let restoredTo: string;
  const expected: string[] = [];

  beforeAll(async () => {
    harness = await openHarness(programs);
  });

  afterAll(async () => {
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await harness.close();
    await dropDatabase(asOwner(copy));
  });

  const daemons: RunningProcess[] = [];
  const groupOf = (index: number): string => `${harness.topics.members}-${index}`;
  const asOwner = (url: string): string => {
    const owned = new URL(harness.database.ownerUrl);
    owned.pathname = new URL(url).pathname;
    return owned.href;
  };
  /** In a group of its own each time: a killed member would be waited for until its session ends. */
  const startOn = async (url: string, ...flags: readonly string[]): Promise<RunningProcess> => {
    const env = { DATABASE_URL: url, OPS_TOKENS: apiTokens, KAFKA_GROUP_ID: groupOf(daemons.length) };
    const daemon = await startProcess({
      ...programCommand('apps/cli/src/main.ts', 'start', ...flags),
      env: { ...harness.environment, ...env },
    });
    daemons.push(daemon);
    return daemon;
  };

  const send = async (phase: Phase, at = Date.now()): Promise<void> => {
    const emissions = traffic(phase).map((item) => produced(item, at));
    await produce(harness.broker, harness.topics, emissions);
    expected.push(
      ...members(phase).flatMap((name) =>
        ['issue', 'transaction', 'refund', 'reward'].map((what) => `${what} ${name}`),
      ),
    );
  };

  const settled = (url: string): Promise<void> => awaitRest(url, expected.length);

  const kill = async (daemon: RunningProcess): Promise<void> => {
    daemon.kill('SIGKILL');
    await daemon.exited;
  };

  const parked = (): Promise<ParkedRow[]> =>
    queryOnce<ParkedRow>(
      copy,
      `SELECT m.member_id AS "memberId", i.seq, i.operation, i.event_type AS "eventType", s.code
       FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) WHERE s.status = 'parked'`,
    );

  it('a copy is taken in the middle, and work goes on without it', async () => {
    const { url } = harness.database;
    const first = await startOn(url);
    await send('before');
    await awaitEffects(harness.sandboxUrl, copyAfterEffects);
    await kill(first);
    copy = await copyDatabase(harness.database);
    const [now] = await queryOnce<{ now: Date }>(copy, 'SELECT clock_timestamp() AS now');
    restoredTo = now!.now.toISOString();
    await endLeases(url);
    const second = await startOn(url);
    await send('lost');
    const bad = emission('purchases', 'purchase.completed', { id: 'bad', memberId: 'lost-0' });
    await produce(harness.broker, harness.topics, [bad]);
    await settled(url);
    await kill(second);
    await send('unread');
    await dropDatabase(asOwner(url));
    const [atCopy] = await queryOnce<{ pending: string }>(
      copy,
      'SELECT sum(tail_seq - head_seq + 1) AS pending FROM lane WHERE cur_seq <= tail_seq',
    );
    // Without work in its middle the copy would prove nothing.
    expect(Number(atCopy?.pending)).toBeGreaterThan(0);
  });

  it('is noticed by the doctor before anybody starts on it', async () => {
    const lost = { ...harness.environment, DATABASE_URL: copy, KAFKA_GROUP_ID: groupOf(1) };
    const { code, stdout } = await runProgram(lost, 'doctor', '-o', 'json');
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    expect({ code, check: checks.find(({ name }) => name === 'kafka.forgotten') }).toMatchObject({
      code: 1,
      check: { state: 'failed' },
    });
  });

  it('records and sends nothing until somebody says that the other one is gone', async () => {
    await expect(startOn(copy, '--recovered-from', restoredTo)).rejects.toThrow(/ended with 2[^]*is a copy/);
    const said = ['--by', 'ada', '--reason', 'the server burnt', '--others-are-gone'];
    expect(await runProgram({ ...harness.environment, DATABASE_URL: asOwner(copy) }, 'own', ...said)).toMatchObject({
      code: 0,
    });
  });

  it('is refused where the moment cannot be true', async () => {
    await Promise.all([
      expect(startOn(copy, '--recovered-from', '2026-01-01')).rejects.toThrow(/ended with 2[^]*RFC 3339/),
      expect(startOn(copy, '--recovered-from', '2999-01-01T00:00:00Z')).rejects.toThrow(/ended with 2[^]*not come yet/),
      expect(startOn(copy, '--recovered-from', '2020-01-01T00:00:00Z')).rejects.toThrow(
        /ended with 2[^]*was not restored to/,
      ),
      expect(startOn(copy, '--lost-until', restoredTo)).rejects.toThrow(/ended with 2[^]*goes with --recovered-from/),
      expect(startOn(copy, '--recovered-from', restoredTo, '--lost-until', 'noon')).rejects.toThrow(
        /ended with 2[^]*--lost-until: must be an RFC 3339/,
      ),
      expect(startOn(copy, '--recovered-from', restoredTo, '--lost-until', '2999-01-01T00:00:00Z')).rejects.toThrow(
        /ended with 2[^]*--lost-until[^]*not come yet/,
      ),
    ]);
  });

  it('does nothing twice, also where the process that was told dies and the next one is not', async () => {
    const told = await startOn(copy, '--recovered-from', restoredTo);
    const before = await ledgerSize(harness.sandboxUrl);
    await waitUntil(
      async () => {
        const [row] = await queryOnce<{ count: string }>(
          copy,
          "SELECT count(*) FROM intent_history WHERE data->>'code' = 'forgotten'",
        );
        return Number(row?.count) > 0 ? true : undefined;
      },
      { ...soon, what: 'the recovery to be at work' },
    );
    await kill(told);
    await endLeases(copy);
    const untold = await startOn(copy);
    await settled(copy);
    await send('after', Date.now() + laterMs);
    await settled(copy);

    const counts = Map.groupBy(await readLedger(harness.sandboxUrl), effectOf);
    const twice = [...counts].filter(([, entries]) => entries.length > 1).map(([effect]) => effect);
    expect(twice).toEqual([]);
    expect([...counts.keys()].filter((effect) => !expected.includes(effect))).toEqual([]);
    const rows = await parked();
    // What can be proved is done; of the rest nothing is lost from sight.
    const missing = expected.filter((effect) => !counts.has(effect));
    expect(missing.filter((effect) => !rows.map(parkedEffect).includes(effect))).toEqual([]);
    expect(missing.filter((effect) => !/^(?:refund|reward) (?:unread|before)-/.test(effect))).toEqual([]);
    process.stderr.write(
      `recovery: ${expected.length} events, ${before} effects before it, ${counts.size} after, ${rows.length} left to a person\n`,
    );
    const kinds = new Set(rows.map(({ operation, eventType }) => `${operation} ${eventType}`));
    expect([...kinds].toSorted()).toEqual([
      'reward loyalty.reward.granted.v1',
      'transaction loyalty.purchase.refunded.v1',
    ]);
    expect(rows.filter(({ memberId }) => memberId.startsWith('after-'))).toEqual([]);
    for (const phase of ['lost', 'unread'] as const) {
      expect(rows.filter(({ memberId }) => memberId.startsWith(`${phase}-`))).toHaveLength(2 * perPhase);
    }
    const standings = await readIntentStatuses(copy);
    const parkedStandings = standings.filter(({ lastEvent }) => lastEvent === 'IntentParked');
    expect(parkedStandings.map(({ parkedReason }) => parkedReason)).toEqual(rows.map(() => 'unknown-outcome'));

    await decide(untold, rows);
    await untold.stop();
    // A doubt is a begun attempt that no lane ever held: the lanes must follow from the events all the same.
    const live = await queryOnce(copy, lanesQuery);
    expect(await runProgram({ DATABASE_URL: asOwner(copy) }, 'rebuild')).toMatchObject({ code: 0 });
    expect(await queryOnce(copy, lanesQuery)).toEqual(live);
  });

  /** What an operator sees, and does about it. */
  async function decide(daemon: RunningProcess, rows: readonly ParkedRow[]): Promise<void> {
    const api = new ApiClient(daemon, 'operator');
    // An attempt that was open at the copy is in doubt with or without a recovery.
    const undecided = rows.filter(({ code }) => code === 'forgotten').length;
    const tells = (recovery: object): Promise<true> =>
      waitUntil(
        async () => {
          const { body } = await api.get('/stats');
          return (
            isDeepStrictEqual((body as { recovery: object }).recovery, {
              ...(body as { recovery: object }).recovery,
              ...recovery,
            }) || undefined
          );
        },
        { ...soon, what: `stats to tell ${JSON.stringify(recovery)}` },
      );
    await tells({ recoveredFrom: restoredTo, open: 0, undecided });
    const idOf = ({ memberId, seq }: ParkedRow): string => `coffee-club~${memberId}~${seq}`;
    const rewardOf = (phase: Phase): ParkedRow =>
      rows.find(({ memberId, operation }) => operation === 'reward' && memberId === `${phase}-0`)!;
    const { body } = await api.get(`/intents/${idOf(rewardOf('lost'))}`);
    expect(JSON.stringify(body)).toContain('"code":"forgotten"');
    const resolve = (phase: Phase, as: string): Promise<unknown> =>
      api.post(`/intents/${idOf(rewardOf(phase))}/resolve`, { as, reason: 'seen in the ledger of the partner' });
    expect(await resolve('lost', 'delivered')).toMatchObject({ status: 200 });
    expect(await resolve('unread', 'not-delivered')).toMatchObject({ status: 200 });
    const isSent = async (): Promise<true | undefined> => {
      const counts = Map.groupBy(await readLedger(harness.sandboxUrl), effectOf);
      return counts.get('reward unread-0')?.length === 1 ? true : undefined;
    };
    await waitUntil(isSent, { ...soon, what: 'what was not delivered to be sent' });
    await settled(copy);
    const counts = Map.groupBy(await readLedger(harness.sandboxUrl), effectOf);
    expect([counts.get('reward lost-0')?.length, counts.get('reward unread-0')?.length]).toEqual([1, 1]);
    await tells({ undecided: undecided - 2 });
  }
});
