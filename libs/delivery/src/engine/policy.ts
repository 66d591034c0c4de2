import type { Program } from '#contracts';
import type { DeliveryPolicy, PartnerCommand, PassContent } from '#domain';
import { groupOf, readsBefore, resolutionOf } from '#domain';
import type { ClaimedIntent } from '#intents';

/** What the programs file and the intent itself say about its attempts. Without a command nothing can be resolved. */
export function policyOf(
  program: Program,
  intent: Pick<ClaimedIntent, 'operation' | 'command' | 'quietPeriodMs'>,
): DeliveryPolicy {
  const { operation, command } = intent;
  const group = groupOf(operation);
  return {
    operation,
    retries: program.retries,
    missingPassWaitMs: program.missingPass.waitMs,
    missingPurchaseWaitMs: program.missingPurchase.waitMs,
    inFlightMs: program.inFlightMs,
    onPark: program.onPark[group],
    resolution: resolutionIn(program, intent),
    pointsDelta: pointsDeltaOf(command),
  };
}

/**
 * What was read before the attempt proves nothing where another call of the lane had just ended: reads may lag behind
 * calls, and what that call did shows afterwards as if the attempt had done it.
 */
function resolutionIn(
  { onUnknown, inFlightMs }: Program,
  { operation, command, quietPeriodMs = Infinity }: Pick<ClaimedIntent, 'operation' | 'command' | 'quietPeriodMs'>,
): DeliveryPolicy['resolution'] {
  if (command === null) return 'park';
  const resolution = resolutionOf(command, onUnknown[groupOf(operation)]);
  return readsBefore(resolution) && quietPeriodMs < inFlightMs ? 'park' : resolution;
}

function pointsDeltaOf(command: PartnerCommand | null): number | null {
  const movesPoints = command?.operation === 'transaction' || command?.operation === 'reward';
  return movesPoints ? (command.pointsDelta ?? null) : null;
}

/** The content that an update is to bring about; null for everything else. */
export function wantedContent(command: PartnerCommand | null): PassContent | null {
  return command?.operation === 'update-via-workflow' ? command.content : null;
}
