import type { PartnerCommand } from '#domain';

import { refuseMasked } from '../masking/mask-personal.js';
import { readRequest, refuseRequest } from '../requests/read-request.js';
import { commandSchema } from './command-schema.js';
import type { FixedParts } from './fixed-parts.js';
import { namesOf, refuseMoved } from './fixed-parts.js';
import { mergePatch } from './merge-patch.js';
import type { DraftCommand, EnforcedAttribute } from './unique-attribute.js';
import { withUniqueAttribute } from './unique-attribute.js';

export type Correction =
  | { readonly kind: 'replace'; readonly command: Readonly<Record<string, unknown>> }
  | { readonly kind: 'patch'; readonly patch: Readonly<Record<string, unknown>> };

/** What the intent's program and member say of it, whatever its command is. */
export interface KnownParts extends FixedParts {
  readonly enforced: readonly EnforcedAttribute[];
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
  parts: KnownParts,
  correction: Correction,
): PartnerCommand {
  const { enforced, ...known } = parts;
  const base = current ?? known;
  const sent = correction.kind === 'patch' ? correction.patch : correction.command;
  refuseMasked(sent);
  const whole = correction.kind === 'patch' ? mergePatch(base, sent) : { ...namesOf(base), ...sent };
  const draft = readRequest(commandSchema, whole) as DraftCommand;
  const command = withUniqueAttribute(draft, sent, { current, enforced });
  refuseMoved(base, command);
  refuseOtherOwner(command);
  return command;
}
