import type { PauseView } from '#contracts';
import type { Pause } from '#intents';

import { isoTime } from '../requests/iso-time.js';

export function toPauseView({ program, operation, since, by, reason, automatic }: Pause): PauseView {
  return { program, operation, since: isoTime(since), by, reason, automatic };
}
