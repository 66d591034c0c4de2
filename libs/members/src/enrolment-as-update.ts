import type { Program, WalletPass } from '#contracts';
import type { IntentHistory, PartnerCommand, PassContent, PassReference, Renewal } from '#intents/core';
import { compareFound } from '#intents/core';

import type { updateCommand } from './route-updated.js';
import { updateOf } from './route-updated.js';

/**
 * What an enrolment says of a pass that is there: its points only where the program wants them overwritten; its template not
 * where that follows the tier, and it says none.
 */
function forExistingPass({ templateId, ...rest }: PassContent, program: Program): PassContent {
  const { existingPass, tierTemplates } = program;
  const followsTier = tierTemplates !== undefined && rest.tierId === undefined;
  const content = templateId === undefined || followsTier ? rest : { ...rest, templateId };
  if (existingPass.points === 'overwrite' || content.passdata === undefined) return content;
  const { points: _points, ...passdata } = content.passdata;
  return { ...content, passdata };
}

function enrolledContent(command: PartnerCommand): PassContent | null {
  return command.operation === 'issue' || command.operation === 'issue-via-workflow' ? command.content : null;
}

/**
 * What an enrolment says, as an update of the pass that is there already (docs/decisions/0098). Null for every other
 * command, and where the program maps no update.
 * @param scheduledName what the change is called where updates are scheduled
 */
export function enrolmentAsUpdate(
  command: PartnerCommand,
  { program, scheduledName }: { readonly program: Program; readonly scheduledName: string },
): ReturnType<typeof updateCommand> {
  const content = enrolledContent(command);
  if (content === null) return null;
  const { brandId, programId, uniqueId, uniqueIdKey, by } = command;
  const reference: PassReference = { brandId, programId, uniqueId, uniqueIdKey, ...(by === undefined ? {} : { by }) };
  return updateOf({ program, reference, scheduledName }, forExistingPass(content, program));
}

/** An enrolment for which the partner has shown a pass. */
interface ShownPass {
  readonly command: PartnerCommand;
  readonly pass: WalletPass;
  readonly program: Program;
  readonly scheduledName: string;
}

/**
 * What follows where a lookup has found the pass of an enrolment (docs/decisions/0098): nobody has told it what the
 * enrolment says, unless an attempt that was in doubt has made it. Such a pass shows what was said. Where it does not tell,
 * it is told once more, for that changes nothing.
 * @param refused the attempt that the partner refused because the pass was there; null: none was
 */
export function renewalOfFound(
  shown: ShownPass,
  { doubts }: Pick<IntentHistory, 'doubts'>,
  refused: number | null,
): Renewal | null {
  const renewal = renewalOf(shown);
  const isInDoubt = doubts.some((attempt) => attempt !== refused);
  return renewal === null || !isInDoubt || isUntold(shown, renewal, true) ? renewal : null;
}

/**
 * What follows where a workflow has answered an enrolment: it may issue a pass or change one (partner-api.md 4.3).
 * @param wasKnown its member is known to have had a pass: what the answer does not show may not have been told to it
 */
export function renewalOfAnswered(shown: ShownPass, wasKnown: boolean): Renewal | null {
  const renewal = shown.command.operation === 'issue-via-workflow' ? renewalOf(shown) : null;
  return renewal !== null && isUntold(shown, renewal, wasKnown) ? renewal : null;
}

/** @param isDoubtEnough where the pass does not tell */
function isUntold(shown: ShownPass, renewal: Renewal, isDoubtEnough: boolean): boolean {
  const found = foundIn(shown, renewal);
  return found === 'other' || (found === 'unclear' && isDoubtEnough);
}

function renewalOf({ command, ...how }: ShownPass): Renewal | null {
  return enrolledContent(command) === null ? null : { command: enrolmentAsUpdate(command, how) };
}

/** No person is asked about what no pass shows. */
function foundIn({ command, program, pass }: ShownPass, renewal: Renewal): ReturnType<typeof compareFound> {
  if (renewal.command !== null) return compareFound(renewal.command.content, pass);
  const { smsSubscription: _consent, ...content } = forExistingPass(enrolledContent(command) ?? {}, program);
  return compareFound(content, pass);
}
