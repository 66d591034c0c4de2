import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { inspect } from 'node:util';

import { stopParts } from '#test-support';

import { describeMachine } from '../support/process/program.js';
import { planOf } from './bench-plan.js';
import { compared } from './compare.js';
import type { BenchPostgres } from './infrastructure/bench-postgres.js';
import { startBenchPostgres } from './infrastructure/bench-postgres.js';
import { billMeasure } from './measures/bill-measure.js';
import { consumersMeasure } from './measures/consumers-measure.js';
import { containerMeasure } from './measures/container-measure.js';
import { consoleMeasure } from './measures/console-measure.js';
import { crowdMeasure } from './measures/crowd-measure.js';
import { deliveryMeasure } from './measures/delivery-measure.js';
import { diskMeasure } from './measures/disk-measure.js';
import { doubtsMeasure } from './measures/doubts-measure.js';
import { endToEndMeasure } from './measures/end-to-end-measure.js';
import { floodMeasure } from './measures/flood-measure.js';
import { idleMeasure } from './measures/idle-measure.js';
import { ingestMeasure } from './measures/ingest-measure.js';
import { listsMeasure } from './measures/lists-measure.js';
import type { MeasureTools, RunMeasure } from './measures/measure.js';
import { logMeasure } from './measures/log-measure.js';
import { memoryMeasure } from './measures/memory-measure.js';
import { pendingMeasure } from './measures/pending-measure.js';
import { podsMeasure } from './measures/pods-measure.js';
import { ratesMeasure } from './measures/rates-measure.js';
import { readersMeasure } from './measures/readers-measure.js';
import { receiptsMeasure } from './measures/receipts-measure.js';
import { retentionMeasure } from './measures/retention-measure.js';
import { sparseMeasure } from './measures/sparse-measure.js';
import { startMeasure } from './measures/start-measure.js';
import type { BenchOptions, MeasureName } from './options.js';
import type { BenchReport, FailedMeasure, MeasureReport } from './report/bench-report.js';

const keyBytes = 32;

const runs: Readonly<Record<MeasureName, RunMeasure>> = {
  delivery: compared(deliveryMeasure),
  sparse: compared(sparseMeasure),
  pending: compared(pendingMeasure),
  crowd: compared(crowdMeasure),
  ingest: compared(ingestMeasure),
  'end-to-end': endToEndMeasure,
  rates: ratesMeasure,
  idle: idleMeasure,
  pods: podsMeasure,
  consumers: consumersMeasure,
  memory: memoryMeasure,
  disk: diskMeasure,
  log: logMeasure,
  bill: billMeasure,
  doubts: doubtsMeasure,
  retention: retentionMeasure,
  lists: listsMeasure,
  console: consoleMeasure,
  flood: floodMeasure,
  readers: readersMeasure,
  start: startMeasure,
  container: containerMeasure,
  receipts: receiptsMeasure,
};

type Outcome = Pick<BenchReport, 'measures' | 'failures'>;

/** One measure that breaks does not cost the figures of the others. */
const runAll = async (options: BenchOptions, postgres: BenchPostgres): Promise<Outcome> => {
  const encryptionKey = randomBytes(keyBytes).toString('base64');
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const { profileFolder } = options;
  const measures: MeasureReport[] = [];
  const earlier = measures;
  const tools: MeasureTools = { plan: planOf(options), postgres, encryptionKey, profileFolder, say, earlier };
  const failures: FailedMeasure[] = [];
  for (const name of options.only) {
    try {
      measures.push(await runs[name](tools));
    } catch (error) {
      say(`${name} failed: ${inspect(error)}`);
      failures.push({ name, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return { measures, failures };
};

/** Runs what is asked for, one measure after the other. Everything it started is ended, whatever happens. */
export const runBench = async (options: BenchOptions): Promise<BenchReport> => {
  const startedAt = Date.now();
  if (options.profileFolder !== null) await mkdir(options.profileFolder, { recursive: true });
  const postgres = await startBenchPostgres({ isProfiled: options.profileFolder !== null });
  try {
    const { measures, failures } = await runAll(options, postgres);
    const holds = measures.every(({ bars }) => bars.every((bar) => bar.holds));
    return {
      ok: holds && failures.length === 0,
      command: options.command,
      startedAt: new Date(startedAt).toISOString(),
      seconds: (Date.now() - startedAt) / 1_000,
      machine: await describeMachine(),
      postgres: { origin: postgres.origin, ...postgres.settings },
      plan: planOf(options),
      measures,
      failures,
    };
  } finally {
    await postgres.stop();
    await stopParts();
  }
};
