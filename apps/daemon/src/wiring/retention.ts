import type { RetentionPolicy, RetentionReport } from '#intents';
import { dayMs, retain } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop } from '#platform';

import type { BackgroundWork } from './background-work.js';
import { interruptible } from './background-work.js';
import type { Storage } from './storage.js';

/** A start has better things to do. */
const firstLookMs = 60_000;
const lookMs = 3_600_000;

function hasDoneSomething({
  intents,
  identities,
  quarantined,
  lanesDiffering,
  lanesFailed,
  heldBy,
}: RetentionReport): boolean {
  return intents + identities + quarantined + lanesDiffering + lanesFailed > 0 || heldBy !== null;
}

/** Carries out once a day, in one process at a time, for how long what is kept. */
export function openRetention(storage: Storage, policy: RetentionPolicy, logger: Logger): BackgroundWork {
  const { database, clock, random } = storage;
  let isFirst = true;
  const workOnce = async (signal: AbortSignal): Promise<number> => {
    if (isFirst) {
      isFirst = false;
      return firstLookMs;
    }
    try {
      const report = await retain({ database, clock, random, signal }, policy, dayMs);
      if (report !== null && hasDoneSomething(report)) logger.info({ ...report }, 'retention was carried out');
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return lookMs;
  };
  const tools = { close: async () => undefined, complaint: 'retention was not carried out', clock, random, logger };
  return interruptible((stopping) => new BackgroundLoop({ workOnce: () => workOnce(stopping), ...tools }));
}
