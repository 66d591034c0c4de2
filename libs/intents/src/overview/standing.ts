import type { IntentStatus, ParkedReason } from '#domain';

/** How one intent stands, with the source record that caused it. */
export interface IntentStanding {
  readonly laneId: number;
  readonly seq: number;
  readonly program: string;
  readonly memberId: string;
  readonly operation: string;
  readonly status: IntentStatus;
  /** Only while parked. */
  readonly parkedReason: ParkedReason | null;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * SQL: the last event of each intent that says how it stands, as `standing(lane_id, seq, status, parked_reason)`. The
 * same as folding with `evolve`, which a test holds it against; intents without such an event are pending.
 */
export const standingQuery = `
  SELECT DISTINCT ON (lane_id, seq) lane_id, seq,
    CASE type
      WHEN 'AttemptApplied' THEN 'delivered' WHEN 'VerifiedApplied' THEN 'delivered'
      WHEN 'IntentResolved' THEN CASE data->>'as' WHEN 'delivered' THEN 'delivered' ELSE 'pending' END
      WHEN 'IntentParked' THEN 'parked' WHEN 'IntentCancelled' THEN 'cancelled'
      WHEN 'WaitingBegan' THEN 'waiting' WHEN 'AttemptBegun' THEN 'delivering' WHEN 'AttemptUnknown' THEN 'unknown'
      ELSE 'pending' END AS status,
    CASE type WHEN 'IntentParked' THEN data->>'reason' END AS parked_reason
  FROM intent_event
  WHERE type <> ALL ('{PassFound,PassAbsent,IntentCorrected,LateOutcome,ProbeRead}')
  ORDER BY lane_id, seq, version DESC`;
