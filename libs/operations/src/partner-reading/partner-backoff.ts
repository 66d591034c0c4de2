import { retryDelayMs } from '#intents/core';
import type { CallFailure } from '#gateway';
import { GatewayError } from '#gateway';
import { reportCooldown } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';

import { JobFailedError } from '../jobs/job-runner.js';

/** Failures of the partner in a row before a job is given up: with the longest backoff more than a day. */
const partnerTroublesMax = 400;

/** The partner's failures in a row, as a job counts them. Part of its cursor. */
export interface Troubles {
  /** In a row. */
  readonly count: number;
  readonly lastDelayMs: number;
}

export const noTroubles: Troubles = { count: 0, lastDelayMs: 0 };

/** A rest that the partner asks for, or what is given it where it names no time. */
const tooManyCooldownMs = 1_000;

const tooMany: readonly string[] = ['too-many-requests', 'http-429'];
const passingCode = /^http-(?:408|429|5\d\d)$/;

/** Will be over some time, whatever is asked: the partner, the way to it or our token. Everything else is for a person. */
export function isPassing({ stage, code }: CallFailure): boolean {
  if (stage === 'token' || stage === 'connection' || stage === 'exchange') return true;
  return stage === 'answer' && (tooMany.includes(code) || passingCode.test(code));
}

interface TroubleTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Trouble {
  readonly job: string;
  readonly program: string;
  readonly failure: CallFailure;
  readonly before: Troubles;
}

/**
 * When to come back after a failure of the partner. A cooldown that it asks for is shared with all processes.
 * @throws {JobFailedError} after too many in a row
 */
export async function backOff(
  tools: TroubleTools,
  { job, program, failure, before }: Trouble,
): Promise<{ readonly troubles: Troubles; readonly againAt: number }> {
  const { database, clock, random, logger } = tools;
  const count = before.count + 1;
  if (count >= partnerTroublesMax) throw new JobFailedError(`the partner could not be read: ${failure.code}`);
  const isTooMany = tooMany.includes(failure.code);
  const retryAfterMs = isTooMany ? Math.max(tooManyCooldownMs, failure.retryAfterMs ?? 0) : failure.retryAfterMs;
  const delayMs = retryDelayMs({ lastDelayMs: before.lastDelayMs, retryAfterMs, chance: random.unit() });
  const againAt = clock.now() + delayMs;
  if (retryAfterMs !== null) await reportCooldown(database, program, clock.now() + retryAfterMs);
  logger.warn({ job, program, code: failure.code, delayMs }, 'a job could not read at the partner');
  return { troubles: { count, lastDelayMs: delayMs }, againAt };
}

/** The failure that a listing or a lookup ended with, where it will be over; what is for a person is thrown on. */
export function passingFailure(error: unknown): CallFailure {
  if (error instanceof GatewayError && isPassing(error)) return error;
  throw error;
}
