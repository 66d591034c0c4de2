import type { Clock, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

import type { FileNews, LiveEnvironment } from './live-environment.js';
import { followMs } from './live-environment.js';

export interface FollowTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** After each look: lets everything work by what is in force now. */
  readonly apply: () => void;
}

function tell({ changed, broken }: FileNews, logger: Logger): void {
  if (changed.length > 0) logger.info({ files: changed }, 'files of secrets and certificates read again');
  if (broken.size > 0) {
    logger.error(
      { problems: [...broken].map(([name, problem]) => `${name}: ${problem}`) },
      'the last good value of a file stays in force',
    );
  }
  if (changed.length === 0 && broken.size === 0) logger.info({}, 'the files are as they were');
}

/** Looks at the files of the environment every two seconds, until it is stopped. Not yet started. */
export function followFiles(live: LiveEnvironment, tools: FollowTools): BackgroundLoop {
  return new BackgroundLoop({
    ...tools,
    workOnce: async () => {
      const news = await live.look();
      if (news !== null) tell(news, tools.logger);
      tools.apply();
      return followMs;
    },
    close: () => Promise.resolve(),
    complaint: 'what files hold could not be checked',
  });
}
