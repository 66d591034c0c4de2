import type { Clock, Database, SqlStatement } from '#platform';

import type { PositionBound } from '../events/final-position.js';
import { isFinal, lastPosition, takeBound } from '../events/final-position.js';
import { timestamp } from '../events/stored-event.js';
import { eventTypes, typeList } from '../events/transition-sql.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { Outcome, OutcomeRow } from './outcome.js';
import { toOutcomes } from './outcome.js';

/** Events looked through at once; about half of them are outcomes. */
export const outcomeWindowMax = 1_000;

const windowStatement: SqlStatement = {
  name: 'outcome_window',
  text: `
SELECT max(pos) AS upto, count(*)::int AS events
FROM (SELECT pos FROM intent_event WHERE pos > $1 AND pos <= $2 ORDER BY pos LIMIT ${outcomeWindowMax}) w`,
};

/** They deliver or park an intent; the others may show a pass. */
const endEvents = eventTypes(({ status }) => (status === 'delivered' || status === 'parked' ? status : null));

/**
 * Evidence is read only where it may hold the member's pass, and an answer in doubt may show another member's: 16 KiB each would be too much for every sale. The limit and OFFSET 0 keep
 * the planner on the indexes: it knows neither position, and would read all members for what it takes to be a part of all
 * events.
 */
export const outcomeRowsStatement: SqlStatement = {
  name: 'outcome_rows',
  text: `
WITH looked AS MATERIALIZED (
  SELECT pos, lane_id, seq, version, type, at, data, sealed FROM intent_event
  WHERE pos > $1::bigint AND pos <= $2::bigint
    AND type IN (${typeList(endEvents)}, 'LateOutcome', 'PassFound', 'PassAdopted')
  ORDER BY pos LIMIT ${outcomeWindowMax}
)
SELECT e.lane_id, e.seq, e.version, e.type, e.at, e.data,
  CASE WHEN e.type IN ('PassFound', 'PassAdopted') OR (i.operation IN ('issue', 'issue-via-workflow')
    AND (e.type IN ('AttemptApplied', 'VerifiedApplied') OR e.type = 'LateOutcome' AND e.data->>'outcome' = 'applied'))
    THEN e.sealed END AS sealed,
  i.operation, i.purchase_id, i.topic, i.partition, i.kafka_offset, m.program_id, m.member_id,
  k.wrapped_key, GREATEST(m.erased_seq, r.until_seq) AS erased_seq,
  (SELECT max(c.started_at) FROM recovery c WHERE c.started_at <= e.at) AS history,
  (SELECT count(*)::int FROM recovery c WHERE c.started_at <= e.at) AS recoveries
FROM looked e
LEFT JOIN LATERAL (
  SELECT operation, purchase_id, topic, partition, kafka_offset FROM intent
  WHERE intent.lane_id = e.lane_id AND intent.seq = e.seq OFFSET 0) i ON true
CROSS JOIN LATERAL (SELECT program_id, member_id, erased_seq FROM member WHERE member.lane_id = e.lane_id OFFSET 0) m
LEFT JOIN LATERAL (SELECT wrapped_key FROM member_key WHERE member_key.lane_id = e.lane_id OFFSET 0) k ON true
LEFT JOIN LATERAL (SELECT until_seq FROM erasure WHERE erasure.lane_id = e.lane_id OFFSET 0) r ON true
ORDER BY e.pos`,
};

/** Outcomes in the order of their positions: within a lane that is the order in which they happened. */
interface OutcomeWindow {
  readonly rows: readonly OutcomeRow[];
  /** Everything up to here has been looked through. */
  readonly upto: number;
}

/** The next events after `from`, at most up to `final`, a position below which nothing can appear any more. */
async function loadOutcomeRows(
  database: Database,
  range: { readonly from: number; readonly final: number },
): Promise<OutcomeWindow> {
  const { rows } = await database.execute<{ upto: number | null; events: number }>(windowStatement, [
    range.from,
    range.final,
  ]);
  const { upto = null, events = 0 } = rows[0] ?? {};
  if (upto === null) return { rows: [], upto: range.final };
  const found = await database.execute<OutcomeRow>(outcomeRowsStatement, [range.from, upto]);
  return { rows: found.rows, upto: events < outcomeWindowMax ? range.final : upto };
}

/** Who reads, and until when. */
interface CheckpointLease {
  readonly owner: string;
  readonly leaseUntil: number;
  readonly now: number;
}

const leaseStatement: SqlStatement = {
  name: 'lease_outcomes',
  text: `
UPDATE projection_checkpoint SET owner = $1::uuid, leased_until = $2::timestamptz
WHERE name = 'outcomes' AND pos IS NOT NULL AND (owner IS NULL OR owner = $1::uuid OR leased_until < $3::timestamptz)
RETURNING pos`,
};

/** The server is asked for at the same moment: a promoted standby may not know what the old server has shown us. */
const moveStatement: SqlStatement = {
  name: 'move_outcomes',
  text: `
UPDATE projection_checkpoint SET pos = $1, leased_until = $2::timestamptz
WHERE name = 'outcomes' AND pos = $3 AND owner = $4::uuid
  AND extract(epoch FROM pg_postmaster_start_time())::text = $5`,
};

const releaseStatement: SqlStatement = {
  name: 'release_outcomes',
  text: `UPDATE projection_checkpoint SET owner = NULL, leased_until = NULL WHERE name = 'outcomes' AND owner = $1::uuid`,
};

const switchOnStatement: SqlStatement = {
  name: 'switch_outcomes_on',
  text: `
UPDATE projection_checkpoint
SET pos = (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM event_pos_seq)
WHERE name = 'outcomes' AND pos IS NULL`,
};

const switchOffStatement: SqlStatement = {
  name: 'switch_outcomes_off',
  text: `UPDATE projection_checkpoint SET pos = NULL, owner = NULL, leased_until = NULL WHERE name = 'outcomes' AND pos IS NOT NULL`,
};

/** @returns where the reading goes on; null when somebody else reads, or nobody shall */
async function leaseOutcomes(database: Database, lease: CheckpointLease): Promise<number | null> {
  const { owner, leaseUntil, now } = lease;
  const { rows } = await database.execute<{ pos: number }>(leaseStatement, [
    owner,
    timestamp(leaseUntil),
    timestamp(now),
  ]);
  return rows[0]?.pos ?? null;
}

/** Everything up to `to` has been published. @returns false when the lease, the place or the server is not ours any more */
async function moveOutcomes(
  database: Database,
  move: { readonly from: number; readonly to: number; readonly server: string },
  lease: CheckpointLease,
): Promise<boolean> {
  const { rowCount } = await database.execute(moveStatement, [
    move.to,
    timestamp(lease.leaseUntil),
    move.from,
    lease.owner,
    move.server,
  ]);
  return rowCount === 1;
}

/** Gives the reading back, so that another process need not wait for the lease to end. */
async function releaseOutcomes(database: Database, owner: string): Promise<void> {
  await database.execute(releaseStatement, [owner]);
}

/**
 * `KAFKA_TOPIC_OUTCOMES`: switched off nothing is owed; switched on again it begins with what happens from then on. On
 * a database set up with it on, it has been on since the first event.
 */
export async function switchOutcomes(database: Database, isOn: boolean): Promise<void> {
  await database.execute(isOn ? switchOnStatement : switchOffStatement);
}

/** How long one process reads on before another may take over; longer than any send. */
export const outcomeLeaseMs = 20_000;
/** Positions passed over without an outcome are remembered in memory only, up to so many. */
const unsavedPositionsMax = 50_000;

/**
 * What a step came to. `published`: there is more, go on at once. `open`: a transaction that may still add an outcome is
 * running, look again in a moment. `idle`: nothing is left just now; soon there may be, and reading it in small pieces would
 * cost the database six statements each. `elsewhere`: another process publishes, or nobody shall.
 */
export type OutcomeStep = 'published' | 'open' | 'idle' | 'elsewhere';

interface OutcomeFeedTools {
  readonly database: Database;
  readonly keys: MemberKeys;
  readonly clock: Clock;
  /** Names this process. */
  readonly owner: string;
  /** Resolves once the broker has all of them; bounded in time, well below `outcomeLeaseMs`. */
  readonly send: (outcomes: readonly Outcome[]) => Promise<void>;
}

/** Where the lease holder stands. */
interface Reading {
  /** The stored checkpoint. */
  stored: number;
  /** Looked through up to here; what lies between holds no outcome. */
  seen: number;
  leaseUntil: number;
  /** What was seen was seen there. */
  server: string | null;
  bound: PositionBound | null;
  final: Pick<PositionBound, 'pos' | 'server'> | null;
}

/**
 * Follows the events of all intents from a durable checkpoint and hands on what the outside may know: every outcome at
 * least once, a member's in their order. The events' writers know nothing of it and pay nothing for it.
 */
export class OutcomeFeed {
  private reading: Reading | null = null;

  constructor(private readonly tools: OutcomeFeedTools) {}

  /** @throws {DatabaseError}, or what `send` throws; the same outcomes then come again */
  async step(): Promise<OutcomeStep> {
    const reading = await this.lease();
    if (reading === null) return 'elsewhere';
    try {
      return await this.publishNext(reading);
    } catch (error) {
      // What a broken connection leaves in doubt is read again.
      this.reading = null;
      throw error;
    }
  }

  /** Gives the reading back. */
  async release(): Promise<void> {
    if (this.reading === null) return;
    this.reading = null;
    await releaseOutcomes(this.tools.database, this.tools.owner);
  }

  private async lease(): Promise<Reading | null> {
    const { database, clock, owner } = this.tools;
    const now = clock.now();
    const known = this.reading;
    if (known !== null && known.leaseUntil - now > outcomeLeaseMs / 2) return known;
    const leaseUntil = now + outcomeLeaseMs;
    const stored = await leaseOutcomes(database, { owner, leaseUntil, now });
    if (stored === null) this.reading = null;
    else if (known?.stored === stored) known.leaseUntil = leaseUntil;
    else this.reading = { stored, seen: stored, leaseUntil, server: null, bound: null, final: null };
    return this.reading;
  }

  private async publishNext(reading: Reading): Promise<OutcomeStep> {
    const { database, keys, send } = this.tools;
    const final = await this.finalBeyond(reading);
    if (final === 'open' || final === 'idle') return final;
    const { rows, upto } = await loadOutcomeRows(database, { from: reading.seen, final: final.pos });
    const outcomes = rows.flatMap((row) => toOutcomes(row, keys));
    if (outcomes.length > 0) await send(outcomes);
    reading.seen = upto;
    const isWorthSaving = outcomes.length > 0 || upto - reading.stored >= unsavedPositionsMax;
    if (isWorthSaving) await this.save(reading, final.server);
    return upto < final.pos ? 'published' : 'idle';
  }

  /** A final position beyond what was seen. */
  private async finalBeyond(reading: Reading): Promise<NonNullable<Reading['final']> | 'open' | 'idle'> {
    const { database } = this.tools;
    if (reading.final !== null && reading.final.pos > reading.seen) return reading.final;
    const bound = reading.bound ?? (await this.nextBound(reading));
    if (bound === 'idle') return 'idle';
    const answer = await isFinal(database, bound);
    if (answer === 'void') return this.startOver();
    reading.bound = answer === 'open' ? bound : null;
    if (answer === 'open') return 'open';
    reading.final = bound;
    return bound;
  }

  private async nextBound(reading: Reading): Promise<PositionBound | 'idle'> {
    const { database } = this.tools;
    const last = await lastPosition(database);
    reading.server ??= last.server;
    if (last.server !== reading.server) return this.startOver();
    if (last.pos <= reading.seen) return 'idle';
    return (await takeBound(database)) ?? this.startOver();
  }

  /** A promoted standby may know less than what the old server has shown us: back to what is stored. */
  private startOver(): 'idle' {
    this.reading = null;
    return 'idle';
  }

  private async save(reading: Reading, server: string): Promise<void> {
    const { database, clock, owner } = this.tools;
    const now = clock.now();
    const leaseUntil = now + outcomeLeaseMs;
    const move = { from: reading.stored, to: reading.seen, server };
    if (await moveOutcomes(database, move, { owner, leaseUntil, now })) {
      reading.stored = reading.seen;
      reading.leaseUntil = leaseUntil;
    } else {
      this.reading = null;
    }
  }
}
