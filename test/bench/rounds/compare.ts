import type { Measure, MeasureTools, RunMeasure } from '../measures/measure.js';
import { judge } from '../report/judge.js';
import { runRounds } from './run-rounds.js';

/** Makes a run of a comparison: its entrants take turns, and it is stopped whatever happens. */
export const compared =
  (build: (tools: MeasureTools) => Promise<Measure>): RunMeasure =>
  async (tools) => {
    const measure = await build(tools);
    const rounds = measure.rounds ?? tools.plan.rounds;
    try {
      const results = await runRounds({
        entrants: measure.entrants,
        rounds,
        postgres: tools.postgres,
        profileFolder: tools.profileFolder,
        beforeRound: async ({ label }, round) => {
          tools.say(`${measure.name}: ${round === null ? 'warm-up' : `round ${round} of ${rounds}`}, ${label}`);
          await measure.beforeRound();
        },
      });
      return judge(measure, results);
    } finally {
      await measure.stop();
    }
  };
