import type { WalletPass } from '#contracts';
import type { SqlSession, SqlStatement } from '#platform';

import { clearData, timestamp } from '../events/stored-event.js';
import type { MemberKeys } from '../keys/member-keys.js';

/** Passes in one statement: sealed, each takes a KiB or so. */
const adoptPassesMax = 2_000;

/** Of the lane itself, not of an intent. */
const laneSeq = 0;

/**
 * The lanes that know no pass yet come to know it, in lane order; a new one is made where the member has none. What
 * waits becomes due; a lane that is leased is not touched but for its revision: what its owner decides without having
 * read this is refused.
 */
const statement: SqlStatement = {
  name: 'adopt_passes',
  text: `
WITH wanted AS MATERIALIZED (
  SELECT lane_id, sealed FROM unnest($2::bigint[], $3::bytea[]) AS w (lane_id, sealed)
), adopted AS (
  INSERT INTO lane AS l (lane_id, program_id, version, pass)
  SELECT lane_id, $1, 1, 'known' FROM wanted ORDER BY lane_id
  ON CONFLICT (lane_id) DO UPDATE SET version = l.version + 1, revision = l.revision + 1, pass = 'known',
    due_at = CASE WHEN l.state = 'waiting' AND l.owner IS NULL THEN $4::timestamptz ELSE l.due_at END
  WHERE l.pass <> 'known'
  RETURNING lane_id, version, epoch
)
INSERT INTO intent_event (lane_id, seq, version, attempt, epoch, type, at, data, sealed)
SELECT a.lane_id, ${laneSeq}, a.version, 0, a.epoch, 'PassAdopted', $4::timestamptz, $5::jsonb, w.sealed
FROM adopted a JOIN wanted w USING (lane_id) ORDER BY a.lane_id
RETURNING lane_id`,
};

/** A pass that the listing shows, and whose it is. */
export interface PassToAdopt {
  readonly laneId: number;
  readonly key: Uint8Array;
  readonly pass: WalletPass;
}

export interface PassesToAdopt {
  readonly program: string;
  readonly passes: readonly PassToAdopt[];
  /** The job that found them, and on which page. */
  readonly job: string;
  readonly page: number;
  readonly now: number;
}

/** Read back by `issuedPass`, as the answer of an issue is. */
function evidenceOf(pass: WalletPass, { job, page }: PassesToAdopt): string {
  return JSON.stringify({ listing: { job, page }, response: { body: JSON.stringify(pass) } });
}

async function adoptSome(session: SqlSession, request: PassesToAdopt, keys: MemberKeys): Promise<number[]> {
  const { program, passes, job, now } = request;
  const { rows } = await session.query<{ lane_id: number }>(statement, [
    program,
    passes.map(({ laneId }) => laneId),
    passes.map(({ laneId, key, pass }) => keys.sealFor({ laneId, seq: laneSeq, key }, evidenceOf(pass, request))),
    timestamp(now),
    clearData({ type: 'PassAdopted', at: now, job }),
  ]);
  return rows.map((row) => row.lane_id);
}

/**
 * Records passes that we did not know as facts of their members' lanes, sealed; one of each lane. Repeating it changes
 * nothing.
 * @returns the lanes that did not know their pass before
 */
export async function adoptPasses(session: SqlSession, request: PassesToAdopt, keys: MemberKeys): Promise<Set<number>> {
  const inOrder = request.passes.toSorted((one, other) => one.laneId - other.laneId);
  const adopted = new Set<number>();
  for (let from = 0; from < inOrder.length; from += adoptPassesMax) {
    const passes = inOrder.slice(from, from + adoptPassesMax);
    for (const laneId of await adoptSome(session, { ...request, passes }, keys)) adopted.add(laneId);
  }
  return adopted;
}
