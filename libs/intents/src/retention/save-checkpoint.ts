import type { SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { LaneCheckpoint } from '../rebuild/load-checkpoints.js';
import type { LeavingIntent } from './leaving-intents.js';

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
export async function saveCheckpoint(
  session: SqlSession,
  checkpoint: LaneCheckpoint,
  left: { readonly archiveId: number; readonly intents: readonly LeavingIntent[]; readonly now: number },
): Promise<void> {
  const { laneId, version, kept, lane, counted } = checkpoint;
  const cancelled = left.intents.filter(({ isCancelled }) => isCancelled);
  const seqs = (intents: readonly LeavingIntent[]): number[] => intents.map(({ seq }) => seq);
  await session.query(archiveStatement, [laneId, left.archiveId, seqs(left.intents), seqs(cancelled)]);
  const texts = [JSON.stringify(lane), JSON.stringify(counted)];
  await session.query(checkpointStatement, [laneId, version, kept, ...texts, timestamp(left.now)]);
}
