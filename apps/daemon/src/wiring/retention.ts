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

/** Something stays that should leave, and does so until a person has looked. */
function isTroubled({ lanesDiffering, lanesFailed, heldBy }: RetentionReport): boolean {
  return lanesDiffering + lanesFailed > 0 || heldBy !== null;
}

function hasDoneSomething({ intents, identities, quarantined, jobs, replays }: RetentionReport): boolean {
  return intents + identities + quarantined + jobs + replays > 0;
}

function tell(report: RetentionReport, logger: Logger): void {
  if (isTroubled(report)) logger.warn({ ...report }, 'retention was carried out, but for some of it');
  else if (hasDoneSomething(report)) logger.info({ ...report }, 'retention was carried out');
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
      if (report !== null) tell(report, logger);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return lookMs;
  };
  const tools = { close: async () => undefined, complaint: 'retention was not carried out', clock, random, logger };
  return interruptible((stopping) => new BackgroundLoop({ workOnce: () => workOnce(stopping), ...tools }));
}
