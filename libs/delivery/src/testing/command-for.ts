import type { Operation, PartnerCommand } from '#domain';

import { commandOf } from './engine-harness.js';

export interface IntentPlace {
  readonly laneId: number;
  readonly seq: number;
}

/** A command that tells its place, so that the fake partner's ledger can be held against the lane. */
export function commandFor({
  laneId,
  seq,
  operation,
}: IntentPlace & { readonly operation: Operation }): PartnerCommand {
  return { ...commandOf(operation), uniqueId: `${laneId}/${seq}` };
}

export function placeOf({ uniqueId }: PartnerCommand): IntentPlace {
  const [laneId, seq] = uniqueId.split('/').map(Number);
  if (laneId === undefined || seq === undefined) throw new Error(`${uniqueId} names no place`);
  return { laneId, seq };
}
