import { isDeepStrictEqual } from 'node:util';

import type { Database, SqlSession, SqlStatement } from '#platform';

import { foldLane } from '../rebuild/fold-lane.js';
import type { CountedEnds, LaneCheckpoint } from '../rebuild/load-checkpoints.js';
import type { ExaminedLane } from './examine-lanes.js';
import { examineLanes } from './examine-lanes.js';
import { findHolder } from './find-limits.js';
import type { LeavingIntent, LeavingLimits } from './leaving-intents.js';
import { compareWithFold, lockRestingLane } from './lock-resting-lane.js';
import type { RetentionHold } from './retention-hold.js';
import { saveCheckpoint } from './save-checkpoint.js';

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
  readonly limits: Omit<LeavingLimits, 'wanted'>;
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
  const intents = lane.leaving.filter(({ seq, facts }) => archived.facts.get(seq) === facts);
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
  intents: readonly LeavingIntent[],
): LaneCheckpoint | null {
  const covered = [...(last?.covered ?? []), ...intents.map(({ seq }) => seq)];
  const gone = new Set(covered);
  const left = rows.filter(({ seq }) => !gone.has(seq));
  const counted = withEnds(last?.counted ?? {}, intents);
  const checkpoint = { laneId, version: folded.version, kept: left.length, lane: folded, counted, covered };
  const stored = JSON.parse(JSON.stringify(checkpoint)) as LaneCheckpoint;
  return isDeepStrictEqual(foldLane(laneId, left, stored), folded) ? checkpoint : null;
}

function withEnds(counted: CountedEnds, intents: readonly LeavingIntent[]): CountedEnds {
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
  intents: readonly LeavingIntent[],
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
