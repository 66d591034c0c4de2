import type { ApiSettings } from '#operations';
import { jobRunner, replayRunner } from '#operations';

import type { BackgroundWork } from './background-work.js';
import { interruptible } from './background-work.js';
import type { JobParts } from './jobs.js';
import { jobWorks } from './jobs.js';
import { openPartitionKeeper } from './partitions.js';
import { openRetention } from './retention.js';

export interface OperatingParts extends Omit<JobParts, 'api' | 'stopping'> {
  /** Null without the operations role. */
  readonly api: ApiSettings | null;
}

/** What goes on in the background, by what it is. */
export type Operating = Readonly<Record<'partitions' | 'retention' | 'operators', readonly BackgroundWork[]>>;

/** What operators asked for: replays and stored jobs. */
function operatorsLoops(parts: Omit<JobParts, 'stopping'>): BackgroundWork[] {
  const { api, logger } = parts;
  const jobs = interruptible((stopping) => jobRunner({ ...api, logger, works: jobWorks({ ...parts, stopping }) }));
  return [replayRunner({ ...api, logger }), jobs];
}

/**
 * Starts what goes on in the background: with the operations role retention and what
 * operators asked for, with any the partitions.
 */
export function startOperating({ api, ...parts }: OperatingParts): Operating {
  const { storage, environment, logger } = parts;
  const ahead = environment.database?.partitionsAhead ?? 0;
  const partitions = openPartitionKeeper(storage, ahead, logger);
  const retention = openRetention(storage, environment.retention, logger);
  const operating: Operating = {
    partitions: [partitions],
    retention: api === null ? [] : [retention],
    operators: api === null ? [] : operatorsLoops({ ...parts, api }),
  };
  for (const loop of Object.values(operating).flat()) loop.start();
  return operating;
}
