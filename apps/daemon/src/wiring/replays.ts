import type { ApiSettings } from '#operations';
import { replayRunner } from '#operations';
import type { BackgroundLoop, Logger } from '#platform';

/** What carries replay jobs on, or null in a process without the operations role. */
export function openReplays(api: ApiSettings | null, logger: Logger): BackgroundLoop | null {
  return api === null ? null : replayRunner({ ...api, logger });
}
