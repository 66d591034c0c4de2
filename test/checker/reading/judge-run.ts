import type { Verdict } from '../check-history.js';
import { Court } from '../check-history.js';
import type { ReadOptions } from './read-history.js';
import { withHistory } from './read-history.js';

/** Reads a real run and judges it, lane by lane. */
export async function judgeRun(options: ReadOptions): Promise<Verdict> {
  return withHistory(options, async ({ run, lanes }) => {
    const court = new Court(run);
    for await (const lane of lanes) court.hear(lane);
    return court.close();
  });
}
