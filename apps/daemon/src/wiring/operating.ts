import type { Partner } from '#gateway';
import type { ApiSettings } from '#operations';
import { jobRunner, replayRunner } from '#operations';
import type { BackgroundLoop, Logger } from '#platform';

import { jobWorks } from './jobs.js';

export interface OperatingParts {
  /** Null without the operations role. */
  readonly api: ApiSettings | null;
  readonly partner: Partner | null;
  readonly logger: Logger;
}

/** Starts what carries on what operators asked for: replays and stored jobs. None without the operations role. */
export function startOperating({ api, partner, logger }: OperatingParts): BackgroundLoop[] {
  if (api === null) return [];
  const works = jobWorks({ api, partner });
  const loops = [replayRunner({ ...api, logger }), jobRunner({ ...api, logger, works })];
  for (const loop of loops) loop.start();
  return loops;
}
