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
  const place = `${laneId}/${seq}`;
  const command = { ...commandOf(operation), uniqueId: place };
  const isUnique = command.operation === 'transaction' && seq % 2 === 1;
  return isUnique ? { ...command, uniqueAttribute: { name: 'receipt', value: place, enforced: true } } : command;
}

/** Whether the partner refuses a second effect of the same command. */
export function isEnforced(command: PartnerCommand): boolean {
  return command.operation === 'transaction' && command.uniqueAttribute?.enforced === true;
}

export function placeOf({ uniqueId }: PartnerCommand): IntentPlace {
  const [laneId, seq] = uniqueId.split('/').map(Number);
  if (laneId === undefined || seq === undefined) throw new Error(`${uniqueId} names no place`);
  return { laneId, seq };
}
