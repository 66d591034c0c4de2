import type { Observation } from '#outbox';
import type { MinuteCalls } from '#intents';
import { addMinuteCalls, callBucket, floorMinute } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import { isCall } from './partner-calls.js';

/** How often what was added up is written. A minute is a whole number of it: its counts are complete as soon as it is over. */
const writeIntervalMs = 10_000;

interface Sum {
  readonly at: number;
  readonly program: string;
  readonly calls: Record<string, number>;
}

/** Adds up how long the partner took, by minute and program, until it is written down. */
export class CallTally {
  private byKey = new Map<string, Sum>();

  /** @param now epoch ms */
  observe(observation: Observation, now: number): void {
    if (!isCall(observation)) return;
    const { calls } = this.sumOf(observation.program, floorMinute(now));
    const bucket = String(callBucket(observation.durationMs));
    calls[bucket] = (calls[bucket] ?? 0) + 1;
  }

  /** All that was added up since the last time. */
  take(): readonly MinuteCalls[] {
    const taken = [...this.byKey.values()];
    this.byKey = new Map();
    return taken;
  }

  private sumOf(program: string, at: number): Sum {
    const key = `${at} ${program}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const sum: Sum = { at, program, calls: {} };
    this.byKey.set(key, sum);
    return sum;
  }
}

interface WriterTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Writes what was added up as each ten seconds of the clock end, and nothing where no call was made. What a failed write held
 * is lost: it may be in the table, and counted again it would be wrong. So are the last seconds of a process that dies.
 */
export function callWriter({ database, ...tools }: WriterTools, tally: CallTally): BackgroundLoop {
  return new BackgroundLoop({
    ...tools,
    workOnce: async () => {
      await addMinuteCalls(database, tally.take());
      return writeIntervalMs - (tools.clock.now() % writeIntervalMs);
    },
    close: () => addMinuteCalls(database, tally.take()).catch(() => undefined),
    failureMessage: 'how long the partner took was not written down',
  });
}
