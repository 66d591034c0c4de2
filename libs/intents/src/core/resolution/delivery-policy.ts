import type { Program } from '#contracts';

import type { Operation } from '../operation.js';
import { factsOf, groupOf, needsPass, OPERATIONS } from '../operation.js';
import type { PartnerCommand } from '../owed/partner-command.js';
import type { DeliveryPolicy } from './resolution.js';
import { readsBefore, resolutionOf } from './resolution.js';

/** What of an intent decides about its attempts. */
export interface PolicySubject {
  readonly operation: Operation;
  /** Null: it was never given one, or it cannot be read any more. */
  readonly command: PartnerCommand | null;
  /**
   * How long before the pass was read for the attempt in doubt another call of the lane had ended, ms; below 0 where one
   * ended since. Absent where nothing was read, or nothing else was called.
   */
  readonly quietPeriodMs?: number;
}

/** What the programs file and the intent itself say about its attempts. Without a command nothing can be resolved. */
export function policyOf(program: Program, subject: PolicySubject): DeliveryPolicy {
  const { operation, command } = subject;
  const group = groupOf(operation);
  return {
    operation,
    retries: program.retries,
    missingPassWaitMs: program.missingPass.waitMs,
    missingPurchaseWaitMs: program.missingPurchase.waitMs,
    postsUnknownRefunds: program.refundUnknown === 'post',
    inFlightMs: program.inFlightMs,
    onPark: program.onPark[group],
    resolution: resolutionIn(program, subject),
    spendsPoints: spendsPoints(program, command),
    pointsDelta: pointsDeltaOf(command),
  };
}

/** Operations of which an attempt may begin before anybody has read the intent: for none of them the pass is read first. */
export function begunUnread({ onUnknown }: Pick<Program, 'onUnknown'>): readonly Operation[] {
  return OPERATIONS.filter((each) => onUnknown[groupOf(each)] !== 'probe' || !readsBefore(factsOf(each).probe));
}

/**
 * What was read before the attempt proves nothing where another call of the lane had just ended: reads may lag behind
 * calls, and what that call did shows afterwards as if the attempt had done it.
 */
function resolutionIn(
  { onUnknown, inFlightMs }: Program,
  { operation, command, quietPeriodMs = Infinity }: PolicySubject,
): DeliveryPolicy['resolution'] {
  if (command === null) return 'park';
  const resolution = resolutionOf(command, onUnknown[groupOf(operation)]);
  return readsBefore(resolution) && quietPeriodMs < inFlightMs ? 'park' : resolution;
}

function spendsPoints({ rewards }: Program, command: PartnerCommand | null): boolean {
  if (command?.operation !== 'reward') return false;
  return Object.values(rewards).some(({ id, pointsDelta, spendsPoints: spends = (pointsDelta ?? 0) < 0 }) => {
    return id === command.rewardId && spends;
  });
}

/** Whether what a call did is told by the points of the pass. */
export function movesPoints(
  command: PartnerCommand | null,
): command is Extract<PartnerCommand, { operation: 'transaction' | 'reward' }> {
  return command !== null && needsPass(command.operation);
}

function pointsDeltaOf(command: PartnerCommand | null): number | null {
  return movesPoints(command) ? (command.pointsDelta ?? null) : null;
}
