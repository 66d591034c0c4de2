import type { Program } from '#contracts';
import type { DeliveryPolicy, Operation } from '#domain';
import { groupOf } from '#domain';

/** What the programs file says about one operation's attempts. */
export function policyOf(program: Program, operation: Operation): DeliveryPolicy {
  const group = groupOf(operation);
  return {
    operation,
    retries: program.retries,
    missingPassWaitMs: program.missingPass.waitMs,
    inFlightMs: program.inFlightMs,
    onPark: program.onPark[group],
    onUnknown: program.onUnknown[group],
  };
}
