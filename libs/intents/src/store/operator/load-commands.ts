import type { IdentityPlace, PartnerCommand } from '#intents/core';
import type { Database, SqlStatement } from '#platform';
import { SealBrokenError } from '#platform';

import type { MemberKeys } from '../keys/member-keys.js';
import { lastCorrectionOf, openCurrent } from '../keys/member-keys.js';

/** Commands that are opened at once, at most. */
export const loadCommandsMax = 500;

const loadCommandsStatement: SqlStatement = {
  name: 'load_commands',
  text: `
SELECT i.lane_id AS "laneId", i.seq, i.payload, i.currency, k.wrapped_key AS "wrappedKey", i.seq <= m.erased_seq AS "isErased",
  c.correction, c.correction_version AS "correctionVersion"
FROM unnest($1::bigint[], $2::int[]) AS w (lane_id, seq)
JOIN intent i USING (lane_id, seq) JOIN member m USING (lane_id) LEFT JOIN member_key k USING (lane_id)
LEFT JOIN LATERAL ${lastCorrectionOf('i')} c ON true`,
};

interface CommandRow extends IdentityPlace {
  readonly payload: Buffer;
  readonly currency: string | null;
  /** Null once the member's key is destroyed. */
  readonly wrappedKey: Buffer | null;
  readonly isErased: boolean;
  readonly correction: Buffer | null;
  readonly correctionVersion: number | null;
}

/** What an intent says now, corrections included. `gone`: erased, or the bytes open no more. */
type CurrentCommand =
  | { readonly kind: 'command'; readonly command: PartnerCommand }
  /** It was parked when it was recorded, and nobody has given it a content since. */
  | { readonly kind: 'none' }
  | { readonly kind: 'gone' };

export type LoadedCommand = IdentityPlace & { readonly current: CurrentCommand; readonly currency: string | null };

function open({ laneId, seq, payload, wrappedKey, isErased, ...row }: CommandRow, keys: MemberKeys): CurrentCommand {
  if (isErased || wrappedKey === null) return { kind: 'gone' };
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  try {
    const command = openCurrent(keys, place, { payload, ...row });
    return command === null ? { kind: 'none' } : { kind: 'command', command };
  } catch (error) {
    if (error instanceof SealBrokenError) return { kind: 'gone' };
    throw error;
  }
}

/** What the given intents say now, those that exist; in no order. Personal. */
export async function loadCommands(
  database: Pick<Database, 'execute'>,
  places: readonly IdentityPlace[],
  keys: MemberKeys,
): Promise<LoadedCommand[]> {
  if (places.length > loadCommandsMax) throw new RangeError(`at most ${loadCommandsMax} commands at once`);
  const parameters = [places.map(({ laneId }) => laneId), places.map(({ seq }) => seq)];
  const { rows } = await database.execute<CommandRow>(loadCommandsStatement, parameters);
  return rows.map((row) => {
    const { laneId, seq, currency } = row;
    return { laneId, seq, currency, current: open(row, keys) };
  });
}
