import type { Database, SqlStatement } from '#platform';

import type { PositionBound } from '../events/final-position.js';
import { isFinal, takeBound } from '../events/final-position.js';
import type { ExportExtent } from './exported-fact.js';

const statement: SqlStatement = {
  name: 'find_last_recording',
  text: 'SELECT recorded_at AS at FROM intent ORDER BY recorded_at DESC, lane_id DESC, seq DESC LIMIT 1',
};

/** What was asked for. */
export interface ExportWish {
  readonly program: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** `bound`: it turns final when the transactions of its time have ended; to be asked again with it. */
export type FrozenExport =
  | { readonly kind: 'open'; readonly bound: PositionBound | null }
  | { readonly kind: 'frozen'; readonly extent: ExportExtent };

/** Nothing below the bound can appear any more, so nothing that belongs to it was recorded later than the last one now. */
async function extentOf(database: Database, wish: ExportWish, upTo: number): Promise<ExportExtent> {
  const last = (await database.execute<{ at: number }>(statement)).rows[0]?.at ?? 0;
  const before = last + 1;
  return { program: wish.program, from: wish.from ?? 0, before: Math.min(wish.to ?? before, before), upTo };
}

/** Fixes what an export holds. @param bound what was answered before; null to begin */
export async function freezeExport(
  database: Database,
  wish: ExportWish,
  bound: PositionBound | null,
): Promise<FrozenExport> {
  if (bound === null) return { kind: 'open', bound: await takeBound(database) };
  const answer = await isFinal(database, bound);
  if (answer === 'final') return { kind: 'frozen', extent: await extentOf(database, wish, bound.pos) };
  return { kind: 'open', bound: answer === 'open' ? bound : null };
}
