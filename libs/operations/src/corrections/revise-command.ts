import type { PartnerCommand } from '#domain';

import { readRequest, refuseRequest } from '../requests/read-request.js';
import { commandSchema } from './command-schema.js';
import { mergePatch } from './merge-patch.js';

/** What a correction may not change: to whom, where, and as what the intent is sent. */
export type FixedParts = Pick<PartnerCommand, 'operation' | 'brandId' | 'programId' | 'uniqueId' | 'uniqueIdKey'>;

export type Correction =
  | { readonly kind: 'replace'; readonly command: Readonly<Record<string, unknown>> }
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> };

const fixed = ['operation', 'brandId', 'programId', 'uniqueId', 'uniqueIdKey'] as const;

/** The attribute that the partner refuses twice is told by its value: the two must not part. */
function withUniqueValue(command: PartnerCommand): PartnerCommand {
  if (command.operation !== 'transaction' || command.uniqueAttribute === undefined) return command;
  const { name } = command.uniqueAttribute;
  const value = command.attributes[name];
  if (typeof value !== 'string' && typeof value !== 'number') {
    return refuseRequest(`attributes.${name}: the unique attribute must have a value`);
  }
  return { ...command, uniqueAttribute: { ...command.uniqueAttribute, value: String(value) } };
}

/** The pass carries our member id: without it, or with another, it would be nobody's. */
function refuseOtherOwner({ uniqueId, uniqueIdKey, ...command }: PartnerCommand): void {
  if (!('content' in command)) return;
  const owner = command.content.passdata?.metaData?.[uniqueIdKey];
  const isIssue = command.operation === 'issue' || command.operation === 'issue-via-workflow';
  if (owner === uniqueId || (owner === undefined && !isIssue)) return;
  refuseRequest(`content.passdata.metaData.${uniqueIdKey}: must be the member's id`);
}

/**
 * The command that a correction makes of the present one.
 * @param parts as the intent has them already, or, where it has no command, as its program and member have them
 * @throws {ApiProblem} that names what is wrong, and quotes no values
 */
export function reviseCommand(
  current: PartnerCommand | null,
  parts: FixedParts,
  correction: Correction,
): PartnerCommand {
  const { operation, brandId, programId, uniqueId, uniqueIdKey } = parts;
  const base = current ?? { operation, brandId, programId, uniqueId, uniqueIdKey };
  const sent = correction.kind === 'patch' ? mergePatch(base, correction.patch) : { ...correction.command };
  const command = readRequest(commandSchema, sent) as PartnerCommand;
  const moved = fixed.find((name) => command[name] !== base[name]);
  if (moved !== undefined) refuseRequest(`${moved}: a correction cannot change to whom, where or as what it is sent`);
  refuseOtherOwner(command);
  return withUniqueValue(command);
}
