import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Entrant, Measure, MeasureTools, RunMeasure } from './measures/measure.js';
import { judge } from './report/judge.js';
import type { Layer } from './report/layers.js';
import { readLayers } from './report/layers.js';
import type { RoundsResult } from './rounds.js';
import { runRounds } from './rounds.js';

type Layers = Readonly<Record<string, readonly Layer[]>>;

/** Every process has ended, and written its profile. */
const layersIn = async (folder: string, entrants: readonly Entrant[]): Promise<Layers> => {
  const read = async ({ name, label }: Entrant): Promise<[string, Layer[]]> => {
    return [label, await readLayers(join(folder, `${name}.cpuprofile`))];
  };
  const profiled = entrants.filter(({ isProfiled = true }) => isProfiled);
  return Object.fromEntries(await Promise.all(profiled.map(read)));
};

interface Race {
  readonly entrants: readonly Entrant[];
  readonly rounds: number;
  readonly profileFolder: string | null;
}

class Comparison {
  constructor(
    private readonly measure: Measure,
    private readonly tools: MeasureTools,
  ) {}

  run(race: Race): Promise<RoundsResult> {
    const { measure, tools } = this;
    return runRounds({
      ...race,
      postgres: tools.postgres,
      stub: measure.stub,
      followsStatements: tools.profileFolder !== null,
      beforeRound: async ({ label }, round) => {
        tools.say(`${measure.name}: ${round === null ? 'warm-up' : `round ${round} of ${race.rounds}`}, ${label}`);
        await measure.beforeRound();
      },
    });
  }

  /** Of all where the run is profiled; else of those that are asked for, in a round more: a profile slows down what it looks at. */
  async layers(): Promise<Layers> {
    const { entrants, budgetsOf = [] } = this.measure;
    const { profileFolder } = this.tools;
    if (profileFolder !== null) return layersIn(profileFolder, entrants);
    const asked = entrants.filter(({ name }) => budgetsOf.includes(name));
    if (asked.length === 0) return {};
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-bench-'));
    try {
      await this.run({ entrants: asked, rounds: 1, profileFolder: folder });
      return await layersIn(folder, asked);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** Makes a run of a comparison: its entrants take turns, and it is stopped whatever happens. */
export const compared =
  (build: (tools: MeasureTools) => Promise<Measure>): RunMeasure =>
  async (tools) => {
    const measure = await build(tools);
    const { entrants, rounds = tools.plan.rounds } = measure;
    const comparison = new Comparison(measure, tools);
    try {
      const { rounds: results, plans } = await comparison.run({ entrants, rounds, profileFolder: tools.profileFolder });
      return judge(measure, results, { layers: await comparison.layers(), plans });
    } finally {
      await measure.stop();
    }
  };
