import { isOthers } from '#shop';
import type { ProcessEnd } from '#test-support';
import { queryOnce } from '#test-support';

import type { LedgerRow } from '../../reading/partner.js';
import { passesMadeByOthers, readLedger } from '../../reading/partner.js';
import type { DaemonSlot, LifeRecord } from '../installation/daemon-slot.js';
import type { Told } from '../traffic/emission.js';
import type { AuditReport, End, Entry } from './books.js';
import { auditBooks } from './books.js';

/** They leave an intent where it stands: a void that meets a parked sale asks for its cancellation, and it stays parked. */
const standsStill =
  "('LateOutcome', 'PassFound', 'PassAbsent', 'PassAdopted', 'ProbeRead', 'IntentCorrected', 'CancelRequested')";

/** Voids and corrections stand for themselves: what they mean has an end of its own. */
const endsText = `SELECT i.operation, m.member_id AS "memberId", (i.amount * 100)::int AS minor,
  concat_ws(' ', l.program_id, i.store_id, i.purchase_id) AS purchase, i.event_type LIKE '%purchase.completed%' AS "isSale",
  e.type, e.data->>'reason' AS reason,
  l.state = 'blocked' AS "isBehind"
  FROM intent i JOIN member m USING (lane_id) JOIN lane l USING (lane_id) LEFT JOIN LATERAL (
    SELECT type, data FROM intent_history e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
      AND type NOT IN ${standsStill} ORDER BY version DESC LIMIT 1) e ON true
  WHERE (e.type IN ('IntentParked', 'IntentCancelled') OR l.state = 'blocked')
    AND i.event_type NOT LIKE '%purchase.voided%' AND i.event_type NOT LIKE '%purchase.corrected%'`;

export async function audit(
  told: readonly Told[],
  urls: { readonly truth: string; readonly wallet: string },
): Promise<AuditReport> {
  const ledger = await readLedger(urls.wallet);
  const ends = await queryOnce<End>(urls.truth, endsText);
  return auditBooks({
    told,
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
