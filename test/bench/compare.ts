import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Entrant, Measure, MeasureTools, RunMeasure } from './measures/measure.js';
import { judge } from './report/judge.js';
import type { CpuProfile, Layer } from './report/layers.js';
import { layersOf } from './report/layers.js';
import { runRounds } from './rounds.js';

/** Every process has ended, and written its profile. */
const layersIn = async (
  folder: string | null,
  entrants: readonly Entrant[],
): Promise<Readonly<Record<string, readonly Layer[]>>> => {
  if (folder === null) return {};
  const read = async ({ name, label }: Entrant): Promise<[string, Layer[]]> => {
    const text = await readFile(join(folder, `${name}.cpuprofile`), 'utf8');
    return [label, layersOf(JSON.parse(text) as CpuProfile)];
  };
  const profiled = entrants.filter(({ isProfiled = true }) => isProfiled);
  return Object.fromEntries(await Promise.all(profiled.map(read)));
};

/** Makes a run of a comparison: its entrants take turns, and it is stopped whatever happens. */
export const compared =
  (build: (tools: MeasureTools) => Promise<Measure>): RunMeasure =>
  async (tools) => {
    const measure = await build(tools);
    const rounds = measure.rounds ?? tools.plan.rounds;
    try {
      const { rounds: results, plans } = await runRounds({
        entrants: measure.entrants,
        rounds,
        postgres: tools.postgres,
        stub: measure.stub,
        profileFolder: tools.profileFolder,
        beforeRound: async ({ label }, round) => {
          tools.say(`${measure.name}: ${round === null ? 'warm-up' : `round ${round} of ${rounds}`}, ${label}`);
          await measure.beforeRound();
        },
      });
      return judge(measure, results, { layers: await layersIn(tools.profileFolder, measure.entrants), plans });
    } finally {
      await measure.stop();
    }
  };
