import type { Database, SqlSession, SqlStatement } from '#platform';

import { within } from '../coordination/pauses.js';
import { timestamp } from '../events/stored-event.js';
import type { ActingRole, OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import { isUnprovenAnswer } from '../operator/settle-reread.js';
import { findReplay } from './find-replay.js';
import type { Replay, ReplayFilter } from './replay.js';
import { replayColumns, replayItemsMax } from './replay.js';

export interface NewReplay {
  /** The caller's own id: asking again with it changes nothing. */
  readonly replayId: string;
  readonly query: ReplayFilter;
  readonly ratePerSecond: number;
  readonly isCanary: boolean;
  readonly isForced: boolean;
  /** Nothing is sent until somebody starts it. */
  readonly isDryRun: boolean;
  readonly word: OperatorWord;
  /** In which role it is asked for; absent: to start, resume or cancel it takes an admin. */
  readonly role?: ActingRole;
}

export type CreateReplayResult =
  | { readonly kind: 'created' | 'known'; readonly replay: Replay }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too-many' };

const insertStatement: SqlStatement = {
  name: 'insert_replay',
  text: `
INSERT INTO replay (replay_id, query, reason, rate_per_second, is_canary, is_forced, state, money, created_at, created_by,
  started_at, started_by, start_reason, needs_role)
VALUES ($1, $2::jsonb, $3, $4::float8, $5, $6, $7, '[]', $8::timestamptz, $9,
  CASE $7 WHEN 'running' THEN $8::timestamptz END, CASE $7 WHEN 'running' THEN $9 END, CASE $7 WHEN 'running' THEN $3 END,
  $10)
ON CONFLICT (replay_id) DO NOTHING
RETURNING replay_id`,
};

/** A lane's items stay together, in the order of the lane. */
const freezeStatement: SqlStatement = {
  name: 'freeze_replay',
  text: `
INSERT INTO replay_item (replay_id, ordinal, lane_id, seq, forecast, overtaken)
SELECT $1, row_number() OVER (ORDER BY first_at, lane_id, seq), lane_id, seq, forecast, overtaken
FROM (
  SELECT s.lane_id, s.seq, min(s.recorded_at) OVER (PARTITION BY s.lane_id) AS first_at,
    GREATEST(0, l.head_seq - s.seq - 1) AS overtaken,
    CASE WHEN s.reason = 'erased' OR s.seq <= m.erased_seq THEN 'member-gone' WHEN s.reason IN ('unroutable', 'merged') THEN 'nothing-to-send'
      WHEN s.reason = 'unknown-outcome' THEN CASE WHEN EXISTS (SELECT FROM intent_event e
        WHERE e.lane_id = s.lane_id AND e.seq = s.seq AND ${isUnprovenAnswer}) THEN 'answered-yes' ELSE 'needs-decision' END
      WHEN l.state = 'blocked' AND NOT bool_or(s.seq = l.cur_seq) OVER (PARTITION BY s.lane_id) THEN 'lane-blocked'
      WHEN s.reason = 'rejected' THEN 'was-refused' ELSE 'will-post' END AS forecast
  FROM intent_standing s JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id) JOIN member m USING (lane_id)
  WHERE s.status = 'parked'
    AND ($2::text IS NULL OR s.program_id = $2) AND ($3::text IS NULL OR s.operation = $3)
    AND ($4::text IS NULL OR s.reason = $4) AND ($5::text IS NULL OR s.code = $5)
    AND ($6::text IS NULL OR s.fingerprint = $6) AND ($7::text IS NULL OR m.member_id = $7)
    AND ($8::text IS NULL OR i.source = $8) AND ($9::text IS NULL OR i.store_id = $9)
    AND ($10::text IS NULL OR i.purchase_id = $10)
    AND s.recorded_at >= $11::timestamptz AND s.recorded_at < $12::timestamptz
    AND ($13::int IS NULL OR s.seq = $13) AND ($14::text IS NULL OR m.member_id = $14 OR i.purchase_id = $14)
  LIMIT ${replayItemsMax + 1}
) selected`,
};

const moneyStatement: SqlStatement = {
  name: 'sum_replay_money',
  text: `
UPDATE replay SET money = COALESCE((
  SELECT jsonb_agg(jsonb_build_object('currency', currency, 'minor', minor) ORDER BY currency)
  FROM (SELECT currency, sum(amount_minor)::bigint AS minor FROM replay_item JOIN intent USING (lane_id, seq)
    WHERE replay_id = $1 AND currency IS NOT NULL GROUP BY currency) sums), '[]')
WHERE replay_id = $1
RETURNING ${replayColumns}`,
};

/** Undoes the transaction of a replay that selects nothing, or too much. */
class NotFrozenError extends Error {
  override readonly name = 'NotFrozenError';

  constructor(readonly kind: 'empty' | 'too-many') {
    super(`a replay was not frozen: ${kind}`);
  }
}

async function freeze(session: SqlSession, { replayId, query }: NewReplay): Promise<number> {
  const { program, operation, reason, code, fingerprint, memberId, source, store, purchaseId, from, to } = query;
  const parts = [program, operation, reason, code, fingerprint, memberId, source, store, purchaseId];
  const { rowCount } = await session.query(freezeStatement, [
    replayId,
    ...parts.map((part) => part ?? null),
    from === undefined ? '-infinity' : timestamp(from),
    to === undefined ? 'infinity' : timestamp(to),
    query.seq ?? null,
    query.q ?? null,
  ]);
  if (rowCount === 0) throw new NotFrozenError('empty');
  if (rowCount > replayItemsMax) throw new NotFrozenError('too-many');
  return rowCount;
}

async function create(session: SqlSession, request: NewReplay): Promise<CreateReplayResult> {
  const { replayId, query, ratePerSecond, isCanary, isForced, isDryRun, word, role = null } = request;
  const { rowCount } = await session.query(insertStatement, [
    replayId,
    JSON.stringify(query),
    word.reason,
    ratePerSecond,
    isCanary,
    isForced,
    isDryRun ? 'planned' : 'running',
    timestamp(word.at),
    word.actor,
    role,
  ]);
  if (rowCount === 0) {
    const known = await findReplay(within(session), replayId);
    return known === null ? { kind: 'empty' } : { kind: 'known', replay: known };
  }
  const items = await freeze(session, request);
  const [replay] = (await session.query<Replay>(moneyStatement, [replayId])).rows;
  if (replay === undefined) throw new Error('a replay vanished while it was made');
  const detail = { replay: replayId, items, query };
  await recordAction(session, { word, action: isDryRun ? 'replay.plan' : 'replay.start', place: null, detail });
  return { kind: 'created', replay };
}

/** Freezes what is parked now and fits the query, and lets it be sent again. With a known id nothing is changed. */
export async function createReplay(database: Database, request: NewReplay): Promise<CreateReplayResult> {
  try {
    return await database.transaction('create_replay', (session) => create(session, request));
  } catch (error) {
    if (error instanceof NotFrozenError) return { kind: error.kind };
    throw error;
  }
}
