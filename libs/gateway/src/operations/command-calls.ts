import type { Operation, PartnerCommand } from '#intents/core';
import { memberCalls } from '#members';
import { purchaseCalls } from '#purchases';
import { rewardCalls } from '#rewards';

import type { PartnerOperation } from '../call/operation.js';

/** How each command is called, each from the room of its subject. */
const commandCalls = { ...memberCalls, ...purchaseCalls, ...rewardCalls } satisfies Record<Operation, unknown>;

/** The one place where a command becomes a call. */
export function callOf(command: PartnerCommand): PartnerOperation<PartnerCommand, unknown> {
  // The call was chosen by `operation`, a link that the compiler cannot follow.
  return commandCalls[command.operation] as unknown as PartnerOperation<PartnerCommand, unknown>;
}
