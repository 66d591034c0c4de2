import type { RebuiltLane } from '#domain';
import type { SqlSession, SqlStatement } from '#platform';

const statement: SqlStatement = {
  name: 'load_lane_checkpoints',
  text: `
SELECT c.lane_id AS "laneId", c.version, c.kept, c.lane, c.counted,
  ARRAY(SELECT unnest(a.seqs) FROM lane_archive a WHERE a.lane_id = c.lane_id) AS covered
FROM lane_checkpoint c WHERE c.lane_id = ANY ($1::bigint[])`,
};

/** How many intents have left the truth, by operation and by how they ended. */
export type CountedEnds = Readonly<Record<string, { readonly delivered: number; readonly cancelled: number }>>;

/** How a lane stood at a version: where a rebuild begins when older facts have left the truth. */
export interface LaneCheckpoint {
  readonly laneId: number;
  readonly version: number;
  /** Facts up to that version that are still in the truth. */
  readonly kept: number;
  readonly lane: RebuiltLane;
  readonly counted: CountedEnds;
  /** Sequence numbers of the intents that have left. */
  readonly covered: readonly number[];
}

/** The checkpoints of these lanes, by lane; most have none. */
export async function loadCheckpoints(
  session: Pick<SqlSession, 'query'>,
  laneIds: readonly number[],
): Promise<ReadonlyMap<number, LaneCheckpoint>> {
  const { rows } = await session.query<LaneCheckpoint>(statement, [laneIds]);
  return new Map(rows.map((row) => [row.laneId, row]));
}
