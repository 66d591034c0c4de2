import type { JsonValue, PartnerCommand } from '#domain';
import { canonicalJson } from '#domain';

import { refuseRequest } from '../requests/read-request.js';

/** What every command has and a correction may not change: to whom, where, and as what the intent is sent. */
export type FixedParts = Pick<PartnerCommand, 'operation' | 'brandId' | 'programId' | 'uniqueId' | 'uniqueIdKey'>;

type Named = Pick<PartnerCommand, 'by' | 'passId' | 'serialNumber'>;

/** The command before the correction, or what is known of one that was never made. */
export type CommandBase = PartnerCommand | (FixedParts & Named);

const fixed = ['operation', 'brandId', 'programId', 'uniqueId', 'uniqueIdKey', 'by', 'passId', 'serialNumber'] as const;

/**
 * What else names the pass: such a name in the hands of somebody else is a sale on somebody else's pass. Shown masked,
 * so that whoever gives the whole command cannot repeat it: what is not said of it stays.
 */
export function namesOf({ by, passId, serialNumber }: CommandBase): Named {
  return {
    ...(by === undefined ? {} : { by }),
    ...(passId === undefined ? {} : { passId }),
    ...(serialNumber === undefined ? {} : { serialNumber }),
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson((one ?? null) as JsonValue) === canonicalJson((other ?? null) as JsonValue);
}

/** @throws {ApiProblem} that names the part, and quotes no value */
export function refuseMoved(base: CommandBase, command: PartnerCommand): void {
  const moved = fixed.find((name) => !isSame(base[name], command[name]));
  if (moved !== undefined) refuseRequest(`${moved}: a correction cannot change to whom, where or as what it is sent`);
}
