import { finishErasures, finishErasuresMax } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { BackgroundLoop } from '#platform';

/** How soon a key is destroyed after what its member's leaving has caused is settled. */
export const erasurePollMs = 15_000;

/** Brings erasures to their end that wait for an opt-out to be settled with the partner. */
export function erasureFinisher(tools: {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}): BackgroundLoop {
  const workOnce = async (): Promise<number> => {
    const finished = await finishErasures(tools.database);
    return finished < finishErasuresMax ? erasurePollMs : 0;
  };
  return new BackgroundLoop({
    ...tools,
    workOnce,
    close: async () => undefined,
    complaint: 'erasures were not finished',
  });
}
