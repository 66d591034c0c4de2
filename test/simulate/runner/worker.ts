import { plantedBugs } from '../planted/planted-bugs.js';
import { SeedRunner } from './seed-runner.js';
import type { SeedAnswer, SeedQuestion } from './worker-pool.js';

/** A process that runs the seeds it is told, one by one, until it is let go. */
const runner = await SeedRunner.open();

async function answer({ seed, without, plant, asksRetailer }: SeedQuestion): Promise<SeedAnswer> {
  const bug = plantedBugs.find(({ name }) => name === plant);
  const result = await runner.run(seed, {
    without: new Set(without),
    asksRetailer,
    ...(bug === undefined ? {} : { bug }),
  });
  const { problems, traceHash, steps, virtualMs, faults, verdict, retailer } = result;
  return {
    seed,
    problems: problems.slice(0, 10),
    traceHash,
    steps,
    virtualMs,
    faults,
    figures: verdict?.figures ?? null,
    exposures: verdict?.exposures ?? {},
    retailer: retailer === null ? null : { judged: retailer.judged, buckets: retailer.buckets },
  };
}

process.on('message', (question: SeedQuestion) => {
  void answer(question).then((told) => process.send?.(told));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
