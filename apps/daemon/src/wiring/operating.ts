import type { ApiSettings } from '#operations';
import { jobRunner, replayRunner } from '#operations';
import type { BackgroundLoop } from '#platform';

import type { JobParts } from './jobs.js';
import { jobWorks } from './jobs.js';

export interface OperatingParts extends Omit<JobParts, 'api'> {
  /** Null without the operations role. */
  readonly api: ApiSettings | null;
}

/** Starts what carries on what operators asked for: replays and stored jobs. None without the operations role. */
export function startOperating({ api, ...parts }: OperatingParts): BackgroundLoop[] {
  if (api === null) return [];
  const { logger } = parts;
  const works = jobWorks({ ...parts, api });
  const loops = [replayRunner({ ...api, logger }), jobRunner({ ...api, logger, works })];
  for (const loop of loops) loop.start();
  return loops;
}
