import type { PartnerCommand } from '#domain';
import type { ClaimedIntent } from '#intents';

import { wantedContent } from './finding.js';
import type { LaneWork } from './lane-work.js';
import { stateOf } from './lane-work.js';

/**
 * Whether the partner must first say that there is a pass: who left the program before an enrolment was sent has none, and
 * a workflow that updates passes may also issue them (partner-api.md 4.3). What was sent before, or is sent by a person's
 * word, is not asked about.
 */
export function mayLeaveUntold(work: LaneWork, intent: ClaimedIntent): boolean {
  if (intent.leavesUnissued !== true || work.pass === 'known' || work.isPassDoubtful) return false;
  const state = stateOf(work, intent.seq);
  const isFresh = state.status !== 'absent' && !state.hadUnknown && !state.isReplay;
  return isFresh && intent.forgottenBefore === undefined && leavesProgram(intent.command);
}

/** By a workflow. An opt-out of messages or of the wallet alone may have to hold for a pass that comes later. */
function leavesProgram(command: PartnerCommand | null): boolean {
  const content = wantedContent(command);
  return content?.smsSubscription === 900 && content.passdata?.['optOut'] === true;
}
