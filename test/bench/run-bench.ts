import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { stopParts } from '#test-support';
import { planOf } from './bench-plan.js';
import { type BenchPostgres, startBenchPostgres } from './infrastructure/bench-postgres.js';
import { crowdMeasure } from './measures/crowd-measure.js';
import { deliveryMeasure } from './measures/delivery-measure.js';
import { ingestMeasure } from './measures/ingest-measure.js';
import type { Measure, MeasureTools } from './measures/measure.js';
import type { BenchOptions, MeasureName } from './options.js';
import type { BenchReport } from './report/bench-report.js';
import { judge, type MeasureReport } from './report/judge.js';
import { describeMachine } from './report/machine.js';
import { runRounds } from './rounds/run-rounds.js';

const keyBytes = 32;

const builders: Readonly<Record<MeasureName, (tools: MeasureTools) => Promise<Measure>>> = {
  delivery: deliveryMeasure,
  crowd: crowdMeasure,
  ingest: ingestMeasure,
};

const runMeasure = async (name: MeasureName, tools: MeasureTools, options: BenchOptions): Promise<MeasureReport> => {
  const measure = await builders[name](tools);
  try {
    const rounds = await runRounds({
      entrants: measure.entrants,
      rounds: tools.plan.rounds,
      postgres: tools.postgres,
      profileFolder: options.profileFolder,
      beforeRound: async ({ label }, round) => {
        tools.say(`${name}: ${round === null ? 'warm-up' : `round ${round} of ${tools.plan.rounds}`}, ${label}`);
        await measure.beforeRound();
      },
    });
    return judge(measure, rounds);
  } finally {
    await measure.stop();
  }
};

const runAll = async (options: BenchOptions, postgres: BenchPostgres): Promise<MeasureReport[]> => {
  const encryptionKey = randomBytes(keyBytes).toString('base64');
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const tools = { plan: planOf(options), postgres, encryptionKey, say };
  const reports: MeasureReport[] = [];
  for (const name of options.only) reports.push(await runMeasure(name, tools, options));
  return reports;
};

/** Runs what is asked for, one measure after the other. Everything it started is ended, whatever happens. */
export const runBench = async (options: BenchOptions): Promise<BenchReport> => {
  const startedAt = Date.now();
  if (options.profileFolder !== null) await mkdir(options.profileFolder, { recursive: true });
  const postgres = await startBenchPostgres();
  try {
    const measures = await runAll(options, postgres);
    const deciding = measures.flatMap(({ bars }) => bars).filter(({ decides }) => decides);
    return {
      ok: deciding.every(({ holds }) => holds),
      startedAt: new Date(startedAt).toISOString(),
      seconds: (Date.now() - startedAt) / 1_000,
      machine: await describeMachine(),
      postgres: { origin: postgres.origin, ...postgres.settings },
      plan: planOf(options),
      measures,
    };
  } finally {
    await postgres.stop();
    await stopParts();
  }
};
