import { isDeepStrictEqual } from 'node:util';

import type { RebuiltLane } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { CountedEnds, LaneCheckpoint } from '../rebuild/lane-truth.js';
import { foldLane } from '../rebuild/lane-truth.js';
import type { ExaminedLane, ExpiringIntent, ExpiryLimits } from './expiring-intents.js';
import { examineLanes, findHolder } from './expiring-intents.js';
import type { RetentionHold } from './retention-run.js';

/** What lies in a file of one lane: facts by sequence number. */
export interface ArchivedLane {
  readonly laneId: number;
  readonly archiveId: number;
  readonly facts: ReadonlyMap<number, number>;
}

/** `busy`: somebody is at the lane, another time. `differs`: its truth does not add up to its row. `held`: nothing may leave. */
export type PurgeResult =
  | { readonly kind: 'purged'; readonly intents: number; readonly facts: number }
  | { readonly kind: 'busy' | 'differs' }
  | { readonly kind: 'held'; readonly heldBy: string };

export interface PurgeRequest extends Pick<RetentionHold, 'fence'> {
  readonly limits: Omit<ExpiryLimits, 'wanted'>;
  /** Epoch ms. */
  readonly now: number;
}

const purgeStatement: SqlStatement = {
  name: 'purge_covered',
  text: 'SELECT intents, events FROM purge_covered($1, $2)',
};

/**
 * Lets leave what of a lane lies in a file and may still leave, in one transaction: the lane is locked, its row compared with
 * its truth, the checkpoint tried out, and only then anything deleted. Whatever does not fit leaves the lane as it was.
 * Whether an export has begun is asked behind the fence: an export reads once all transactions have ended that began before it.
 */
export async function purgeLane(
  database: Database,
  archived: ArchivedLane,
  request: PurgeRequest,
): Promise<PurgeResult> {
  return database.transaction('purge_lane', async (session) => {
    await request.fence(session);
    const heldBy = await findHolder(session);
    return heldBy === null ? leave(session, archived, request) : { kind: 'held', heldBy };
  });
}

async function leave(session: SqlSession, archived: ArchivedLane, { limits, now }: PurgeRequest): Promise<PurgeResult> {
  const row = await lockRestingLane(session, archived.laneId);
  if (row === null) return { kind: 'busy' };
  const [lane] = await examineLanes(session, [archived.laneId], limits);
  if (lane === undefined || lane.isBroken) return { kind: 'differs' };
  const comparison = compareWithFold(row, lane.folded);
  if (comparison !== 'same') return { kind: comparison === 'differs' ? 'differs' : 'busy' };
  const intents = lane.expiring.filter(({ seq, facts }) => archived.facts.get(seq) === facts);
  if (intents.length === 0) return { kind: 'purged', intents: 0, facts: 0 };
  const checkpoint = checkpointOf(lane, intents);
  if (checkpoint === null) return { kind: 'differs' };
  await saveCheckpoint(session, checkpoint, { archiveId: archived.archiveId, intents, now });
  return purge(session, archived, intents);
}

type WholeLane = Extract<ExaminedLane, { isBroken: false }>;

/** Null where a lane rebuilt from it would be another one. */
function checkpointOf(
  { laneId, rows, folded, checkpoint: last }: WholeLane,
  intents: readonly ExpiringIntent[],
): LaneCheckpoint | null {
  const covered = [...(last?.covered ?? []), ...intents.map(({ seq }) => seq)];
  const gone = new Set(covered);
  const left = rows.filter(({ seq }) => !gone.has(seq));
  const counted = withEnds(last?.counted ?? {}, intents);
  const checkpoint = { laneId, version: folded.version, kept: left.length, lane: folded, counted, covered };
  const stored = JSON.parse(JSON.stringify(checkpoint)) as LaneCheckpoint;
  return isDeepStrictEqual(foldLane(laneId, left, stored), folded) ? checkpoint : null;
}

function withEnds(counted: CountedEnds, intents: readonly ExpiringIntent[]): CountedEnds {
  const ends = new Map(Object.entries(counted).map(([operation, end]) => [operation, { ...end }]));
  for (const { operation, isCancelled } of intents) {
    const end = ends.get(operation) ?? { delivered: 0, cancelled: 0 };
    end[isCancelled ? 'cancelled' : 'delivered'] += 1;
    ends.set(operation, end);
  }
  return Object.fromEntries(ends);
}

/** @throws where something else would be deleted than what lies in the file: then nothing is */
async function purge(
  session: SqlSession,
  { laneId, archiveId }: ArchivedLane,
  intents: readonly ExpiringIntent[],
): Promise<PurgeResult> {
  const facts = intents.reduce((sum, intent) => sum + intent.facts, 0);
  const { rows } = await session.query<{ intents: number; events: number }>(purgeStatement, [laneId, archiveId]);
  const deleted = { intents: rows[0]?.intents ?? 0, events: rows[0]?.events ?? 0 };
  if (deleted.intents !== intents.length || deleted.intents + deleted.events !== facts) {
    throw new Error(
      `lane ${laneId}: ${JSON.stringify(deleted)} would be deleted, not ${intents.length} of ${facts} facts`,
    );
  }
  return { kind: 'purged', intents: deleted.intents, facts };
}

/** A lane that somebody holds is left alone, and never waited for. */
const lockStatement: SqlStatement = {
  name: 'lock_resting_lane',
  text: `
SELECT version, head_seq, tail_seq, cur_seq, redo, ahead, issue_seq, pass, state FROM lane
WHERE lane_id = $1 AND owner IS NULL AND NOT attempt_open FOR NO KEY UPDATE SKIP LOCKED`,
};

interface LaneRow {
  readonly version: number;
  readonly head_seq: number;
  readonly tail_seq: number;
  readonly cur_seq: number;
  readonly redo: readonly number[];
  readonly ahead: readonly number[];
  readonly issue_seq: number | null;
  readonly pass: string;
  readonly state: string;
}

/** The row of a lane that stays as it is until the transaction ends; null while somebody is at it. */
async function lockRestingLane(session: SqlSession, laneId: number): Promise<LaneRow | null> {
  return (await session.query<LaneRow>(lockStatement, [laneId])).rows[0] ?? null;
}

/**
 * How a lane's row stands to what its truth says, but for its lease and the counters that only fence. `differs`: they
 * contradict each other. `under-way`: what is left to send is told in other numbers, for truth does not tell when a lease
 * began or what was stepped over; that passes with the lane's next rest.
 */
function compareWithFold(row: LaneRow, folded: RebuiltLane): 'same' | 'under-way' | 'differs' {
  const { version, cursor, issueSeq, pass, state } = folded;
  const hard = [row.version, row.tail_seq, row.issue_seq, row.pass, row.state];
  if (!isDeepStrictEqual(hard, [version, cursor.tail, issueSeq, pass, state])) return 'differs';
  const { head_seq: head, tail_seq: tail, cur_seq: current, redo, ahead } = row;
  return isDeepStrictEqual(cursor, { head, tail, current, redo, ahead }) ? 'same' : 'under-way';
}

const archiveStatement: SqlStatement = {
  name: 'record_lane_archive',
  text: 'INSERT INTO lane_archive (lane_id, archive_id, seqs, cancelled) VALUES ($1, $2, $3::int[], $4::int[])',
};

const checkpointStatement: SqlStatement = {
  name: 'save_lane_checkpoint',
  text: `
INSERT INTO lane_checkpoint (lane_id, version, kept, lane, counted, made_at)
VALUES ($1, $2, $3, $4::jsonb, $5::jsonb, $6::timestamptz)
ON CONFLICT (lane_id) DO UPDATE SET version = EXCLUDED.version, kept = EXCLUDED.kept, lane = EXCLUDED.lane,
  counted = EXCLUDED.counted, made_at = EXCLUDED.made_at`,
};

/** Says what is in which file, and from where the lane can be rebuilt without it. */
async function saveCheckpoint(
  session: SqlSession,
  checkpoint: LaneCheckpoint,
  left: { readonly archiveId: number; readonly intents: readonly ExpiringIntent[]; readonly now: number },
): Promise<void> {
  const { laneId, version, kept, lane, counted } = checkpoint;
  const cancelled = left.intents.filter(({ isCancelled }) => isCancelled);
  const seqs = (intents: readonly ExpiringIntent[]): number[] => intents.map(({ seq }) => seq);
  await session.query(archiveStatement, [laneId, left.archiveId, seqs(left.intents), seqs(cancelled)]);
  const texts = [JSON.stringify(lane), JSON.stringify(counted)];
  await session.query(checkpointStatement, [laneId, version, kept, ...texts, timestamp(left.now)]);
}
