import { isOthers } from '#shop';
import type { ProcessEnd } from '#test-support';
import { queryOnce } from '#test-support';

import type { LedgerRow } from '../../reading/partner.js';
import { passesMadeByOthers, readLedger } from '../../reading/partner.js';
import type { DaemonSlot, LifeRecord } from '../installation/daemon-slot.js';
import type { Owed } from '../traffic/emission.js';

/**
 * A second opinion, made of nothing but what the tills know, what the partner's ledger holds and how each intent ended:
 * what was acknowledged must be there once, unless a person has to look or somebody cancelled it.
 */
export interface AuditReport {
  /** Enrolments, purchases and refunds that the broker acknowledged. */
  readonly owed: number;
  readonly found: number;
  /** Not there, and a person knows: parked, or cancelled. */
  readonly excused: Readonly<Record<string, number>>;
  /** Not there, and nobody knows. */
  readonly lost: readonly Owed[];
  /** There more than once, by operation; what the partner itself did twice for one request is not ours. */
  readonly duplicates: Readonly<Record<string, number>>;
  readonly partnerTwice: number;
  /** Effects that nobody asked for. */
  readonly foreign: number;
  readonly effects: number;
}

export interface Entry {
  readonly operation: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly requestId: string;
  readonly amount: string | null;
}

/** What became of an intent that may have no effect. */
export interface End {
  readonly operation: string;
  readonly memberId: string;
  readonly minor: string | null;
  /** As `Owed.purchase`. */
  readonly purchase: string | null;
  /** Its last event that moved it; null: nothing has happened to it. */
  readonly type: string | null;
  readonly reason: string | null;
  /** The lane waits for a person. */
  readonly isBehind: boolean;
}

/** All that the audit looks at. */
export interface Books {
  readonly owed: readonly Owed[];
  readonly entries: readonly Entry[];
  readonly ends: readonly End[];
  /** Unique values that other systems took. */
  readonly taken: readonly string[];
  /** Members whose pass other systems made: by an update, too, where there was none (partner-api.md 4.3). */
  readonly issuedByOthers?: readonly string[];
}

/** They leave an intent where it stands: a void that meets a parked sale asks for its cancellation, and it stays parked. */
const standsStill =
  "('LateOutcome', 'PassFound', 'PassAbsent', 'PassAdopted', 'ProbeRead', 'IntentCorrected', 'CancelRequested')";

const endsText = `SELECT i.operation, m.member_id AS "memberId", (i.amount * 100)::int AS minor,
  concat_ws(' ', l.program_id, i.store_id, i.purchase_id) AS purchase, e.type, e.data->>'reason' AS reason,
  l.state = 'blocked' AS "isBehind"
  FROM intent i JOIN member m USING (lane_id) JOIN lane l USING (lane_id) LEFT JOIN LATERAL (
    SELECT type, data FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
      AND type NOT IN ${standsStill} ORDER BY version DESC LIMIT 1) e ON true
  WHERE e.type IN ('IntentParked', 'IntentCancelled') OR l.state = 'blocked'`;

/** Of a lane that waits for a person: not begun, waiting for something, or found and not begun. */
const waits = new Set([null, 'WaitingBegan', 'IntentReleased']);

/** Why it is not there, where a person can see it; null: it should be there. */
function endOf({ type, reason, isBehind }: End): string | null {
  if (type === 'IntentParked' || type === 'IntentCancelled') return reason === null ? type : `${type} ${reason}`;
  return isBehind && waits.has(type) ? 'behind what is parked' : null;
}

/** What no two things owed share. */
function nameOf({ operation, memberId, key, minor }: Owed): string {
  return operation === 'transaction' ? (key ?? `${memberId} ${minor ?? 0}`) : `${operation} ${memberId}`;
}

function nameOfEntry({ operation, uniqueId, key, amount }: Entry): string {
  if (operation !== 'transaction') return `${operation} ${uniqueId ?? ''}`;
  return key ?? `${uniqueId ?? ''} ${Math.round(Number(amount) * 100)}`;
}

/**
 * By whose it is, and by the receipt: a return with the card of somebody else, of which nobody said where it was bought, is the
 * member's who has a receipt of that number.
 */
function endNames({ operation, memberId, purchase, minor }: Owed | End): string[] {
  if (operation !== 'transaction') return [`${operation} ${memberId}`];
  return [`${memberId} ${minor ?? 0}`, `${purchase ?? ''} ${minor ?? 0}`];
}

function countBy<Item>(items: readonly Item[], name: (item: Item) => string): Record<string, number> {
  const groups = Map.groupBy(items, name);
  return Object.fromEntries([...groups].map(([key, group]) => [key, group.length]));
}

/** The same request applied again by the partner itself is one effect of ours. */
function onceEach(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ operation, requestId }) => {
    const name = `${operation} ${requestId}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

export async function audit(
  owed: readonly Owed[],
  urls: { readonly truth: string; readonly wallet: string },
): Promise<AuditReport> {
  const ledger = await readLedger(urls.wallet);
  const ends = await queryOnce<End>(urls.truth, endsText);
  return auditBooks({
    owed,
    entries: ledger.filter((row) => !isOthers(row)).map(entryOf),
    ends,
    taken: ledger.filter(isOthers).flatMap(({ key }) => key ?? []),
    issuedByOthers: passesMadeByOthers(ledger).flatMap(({ uniqueId }) => uniqueId ?? []),
  });
}

function entryOf({ operation, uniqueId, key, requestId, body }: LedgerRow): Entry {
  const { amount = null } = (body ?? {}) as { readonly amount?: string | null };
  return { operation, uniqueId, key, requestId, amount };
}

export function auditBooks({ owed, entries, ends, taken, issuedByOthers = [] }: Books): AuditReport {
  const ours = onceEach(entries);
  const known = ours.filter(({ operation }) => operation !== 'reward' && operation !== 'update-via-workflow');
  const effects = Map.groupBy(known, nameOfEntry);
  const excuses = new Map(
    ends.flatMap((end): [string, string][] => {
      const text = endOf(end);
      return text === null ? [] : endNames(end).map((name) => [name, text]);
    }),
  );
  const others = new Set(taken);
  const passes = new Set(issuedByOthers);
  const excuseOf = (item: Owed): string | undefined => {
    if (item.operation !== 'transaction' && passes.has(item.memberId)) return "somebody else's pass";
    const excuse = endNames(item)
      .map((name) => excuses.get(name))
      .find((text) => text !== undefined);
    return excuse ?? (others.has(item.key ?? '') ? "somebody else's receipt" : undefined);
  };
  const missing = owed.filter((item) => !effects.has(nameOf(item)));
  const excused = missing.filter((item) => excuseOf(item) !== undefined);
  const owedNames = new Set(owed.map(nameOf));
  const twice = [...effects.values()].flatMap((group) => group.slice(1));
  return {
    owed: owed.length,
    found: owed.length - missing.length,
    excused: countBy(excused, (item) => excuseOf(item) ?? ''),
    lost: missing.filter((item) => excuseOf(item) === undefined),
    duplicates: countBy(twice, ({ operation }) => operation),
    partnerTwice: entries.length - ours.length,
    foreign: [...effects.keys()].filter((name) => !owedNames.has(name)).length,
    effects: entries.length,
  };
}

/** Which one, and what its calls were answered, in their order. */
export interface OverParked {
  readonly memberId: string;
  readonly operation: string;
  /** `TOPIC/PARTITION/OFFSET` of its event. */
  readonly place: string;
  readonly answers: readonly string[];
}

/** What the truth tables say of a run, told without the checker. */
export interface TruthFigures {
  readonly intents: number;
  readonly members: number;
  readonly quarantined: Readonly<Record<string, number>>;
  readonly eventsSeen: number;
  readonly attempts: number;
  readonly unknowns: Readonly<Record<string, number>>;
  readonly resolutions: Readonly<Record<string, number>>;
  /** `reason operation`, at the end. */
  readonly parked: Readonly<Record<string, number>>;
  /**
   * Parked as unknown although the partner could have been asked: enrolments can be looked up, transactions with a unique
   * value be sent again. An update that changes nothing that can be read, and a reward after which the points are as
   * before, leave nothing to tell by. Nor does a refusal of what was sent again that is no duplicate's: then it was asked.
   */
  readonly overParked: readonly OverParked[];
  readonly pauses: number;
}

interface Count {
  readonly name: string;
  readonly count: string;
}

async function counts(url: string, text: string): Promise<Record<string, number>> {
  const rows = await queryOnce<Count>(url, text);
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}

async function count(url: string, text: string): Promise<number> {
  const rows = await queryOnce<Count>(url, text);
  return Number(rows[0]?.count);
}

const lastEvents = `SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type, data FROM intent_history
  WHERE type NOT IN ${standsStill} ORDER BY lane_id, seq, version DESC`;

const overParkedText = `SELECT m.member_id AS "memberId", i.operation,
    i.topic || '/' || i.partition || '/' || i.kafka_offset AS place, ARRAY(
      SELECT concat_ws(' ', a.type, a.data->>'code') FROM intent_history a WHERE a.lane_id = i.lane_id AND a.seq = i.seq
        AND a.type IN ('AttemptUnknown', 'AttemptRejected', 'ResendDecided') ORDER BY a.version) AS answers
  FROM (${lastEvents}) e JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id) JOIN member m USING (lane_id)
  WHERE e.type = 'IntentParked' AND e.data->>'reason' = 'unknown-outcome' AND e.data->'cause' IS NULL AND (i.operation LIKE 'issue%'
    OR (i.operation = 'transaction' AND (l.program_id = 'coffee-club' OR i.event_type LIKE '%refunded%')))`;

/**
 * Sent again by its unique value, and refused for another reason: that tells nothing of the call before. Nor does anything settle an
 * answer that shows another transaction.
 */
export const wasAskedInVain = ({ answers }: Pick<OverParked, 'answers'>): boolean =>
  answers.includes('AttemptUnknown answered-otherwise') ||
  (answers.at(-2) === 'ResendDecided' && answers.at(-1) === 'AttemptRejected refused');

export async function readFigures(url: string): Promise<TruthFigures> {
  return {
    intents: await count(url, 'SELECT count(*) FROM intent'),
    members: await count(url, 'SELECT count(*) FROM member'),
    quarantined: await counts(url, 'SELECT reason AS name, count(*) FROM quarantine GROUP BY 1 ORDER BY 1'),
    eventsSeen: await count(url, "SELECT count(*) FROM dedup WHERE kind = 'event'"),
    attempts: await count(url, "SELECT count(*) FROM intent_history WHERE type = 'AttemptBegun'"),
    unknowns: await counts(
      url,
      "SELECT data->>'code' AS name, count(*) FROM intent_history WHERE type = 'AttemptUnknown' GROUP BY 1 ORDER BY 2 DESC",
    ),
    resolutions: await counts(
      url,
      `SELECT concat_ws(' ', i.operation, e.type, e.data->>'evidence', e.data->>'basis') AS name, count(*)
       FROM intent_history e JOIN intent i USING (lane_id, seq)
       WHERE type IN ('VerifiedApplied', 'VerifiedAbsent', 'ResendDecided', 'LateOutcome') GROUP BY 1 ORDER BY 2 DESC`,
    ),
    parked: await counts(
      url,
      `SELECT concat_ws(' ', e.data->>'reason', i.operation, l.program_id) AS name, count(*)
       FROM (${lastEvents}) e JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
       WHERE e.type = 'IntentParked' GROUP BY 1 ORDER BY 2 DESC`,
    ),
    overParked: (await queryOnce<OverParked>(url, overParkedText)).filter((one) => !wasAskedInVain(one)),
    pauses: await count(url, 'SELECT count(*) FROM pause WHERE automatic'),
  };
}

/** How the daemons lived and died. */
export interface FleetReport {
  /** Processes that became ready. */
  readonly lives: number;
  /** Nobody had told them to end. */
  readonly diedByThemselves: readonly LifeRecord[];
  /** Starts that failed, most often because Postgres was away. */
  readonly startsFailed: number;
  /** Why the first few did. */
  readonly startFailures: readonly string[];
  /** How the last ones ended when they were told to, after everything was healed. */
  readonly ends: readonly (ProcessEnd | null)[];
}

const startFailuresShown = 3;

export function fleetReport(slots: readonly DaemonSlot[], ends: FleetReport['ends']): FleetReport {
  const lives = slots.flatMap((slot) => slot.lives);
  const failures = slots.flatMap(({ startFailures }) => startFailures);
  return {
    lives: lives.length,
    diedByThemselves: lives.filter(({ isWanted }) => !isWanted),
    startsFailed: failures.length,
    startFailures: failures.slice(0, startFailuresShown),
    ends,
  };
}
