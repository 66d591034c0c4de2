import type { Program } from '#contracts';
import type { DeliveryPolicy, Operation, PartnerCommand } from '#domain';
import { groupOf, resolutionOf } from '#domain';

/** What the programs file and the intent itself say about its attempts. Without a command nothing can be resolved. */
export function policyOf(
  program: Program,
  intent: { readonly operation: Operation; readonly command: PartnerCommand | null },
): DeliveryPolicy {
  const { operation, command } = intent;
  const group = groupOf(operation);
  return {
    operation,
    retries: program.retries,
    missingPassWaitMs: program.missingPass.waitMs,
    inFlightMs: program.inFlightMs,
    onPark: program.onPark[group],
    resolution: command === null ? 'park' : resolutionOf(command, program.onUnknown[group]),
    pointsDelta: pointsDeltaOf(command),
  };
}

function pointsDeltaOf(command: PartnerCommand | null): number | null {
  const movesPoints = command?.operation === 'transaction' || command?.operation === 'reward';
  return movesPoints ? (command.pointsDelta ?? null) : null;
}
