import { runSql } from './run-sql.js';

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
   * before, leave nothing to tell by.
   */
  readonly overParked: number;
  readonly pauses: number;
}

interface Count {
  readonly name: string;
  readonly count: string;
}

async function counts(url: string, text: string): Promise<Record<string, number>> {
  const rows = await runSql<Count>(url, text);
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}

async function count(url: string, text: string): Promise<number> {
  const rows = await runSql<Count>(url, text);
  return Number(rows[0]?.count);
}

const lastEvents = `SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type, data FROM intent_event
  WHERE type NOT IN ('LateOutcome', 'PassFound', 'PassAbsent') ORDER BY lane_id, seq, version DESC`;

export async function readFigures(url: string): Promise<TruthFigures> {
  return {
    intents: await count(url, 'SELECT count(*) FROM intent'),
    members: await count(url, 'SELECT count(*) FROM member'),
    quarantined: await counts(url, 'SELECT reason AS name, count(*) FROM quarantine GROUP BY 1 ORDER BY 1'),
    eventsSeen: await count(url, "SELECT count(*) FROM dedup WHERE kind = 'event'"),
    attempts: await count(url, "SELECT count(*) FROM intent_event WHERE type = 'AttemptBegun'"),
    unknowns: await counts(
      url,
      "SELECT data->>'code' AS name, count(*) FROM intent_event WHERE type = 'AttemptUnknown' GROUP BY 1 ORDER BY 2 DESC",
    ),
    resolutions: await counts(
      url,
      `SELECT concat_ws(' ', i.operation, e.type, e.data->>'evidence', e.data->>'basis') AS name, count(*)
       FROM intent_event e JOIN intent i USING (lane_id, seq)
       WHERE type IN ('VerifiedApplied', 'VerifiedAbsent', 'ResendDecided', 'LateOutcome') GROUP BY 1 ORDER BY 2 DESC`,
    ),
    parked: await counts(
      url,
      `SELECT concat_ws(' ', e.data->>'reason', i.operation, l.program_id) AS name, count(*)
       FROM (${lastEvents}) e JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
       WHERE e.type = 'IntentParked' GROUP BY 1 ORDER BY 2 DESC`,
    ),
    overParked: await count(
      url,
      `SELECT count(*) FROM (${lastEvents}) e JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id)
       WHERE e.type = 'IntentParked' AND e.data->>'reason' = 'unknown-outcome' AND (i.operation LIKE 'issue%'
         OR (i.operation = 'transaction' AND (l.program_id = 'coffee-club' OR i.event_type LIKE '%refunded%')))`,
    ),
    pauses: await count(url, 'SELECT count(*) FROM pause WHERE automatic'),
  };
}
