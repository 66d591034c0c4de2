import { mkdir } from 'node:fs/promises';

import { stopParts } from '#test-support';

import { describeMachine } from '../../support/process/program.js';
import type { BenchPostgres } from '../infrastructure/bench-postgres.js';
import { startBenchPostgres } from '../infrastructure/bench-postgres.js';
import type { SandboxBenchOptions } from './options.js';
import type { SandboxBenchReport } from './sandbox-report.js';
import { barsOf, describeMeasures } from './sandbox-report.js';
import type { SandboxRounds } from './sandbox-rounds.js';
import { LoadGenerator, passesIssued, runSandboxRounds } from './sandbox-rounds.js';
import { startSandbox } from './start-sandbox.js';

const runAll = async (options: SandboxBenchOptions, postgres: BenchPostgres): Promise<SandboxRounds> => {
  const sandbox = await startSandbox(await postgres.create('sandbox'), options.profileFolder);
  try {
    const generator = await LoadGenerator.start(sandbox);
    try {
      const rounds = await runSandboxRounds(options, generator);
      await sandbox.expectEffects(generator.effectsDone);
      return rounds;
    } finally {
      await generator.stop();
    }
  } finally {
    await sandbox.stop();
  }
};

/** Runs everything. Whatever it started is ended, whatever happens. */
export const runSandboxBench = async (options: SandboxBenchOptions): Promise<SandboxBenchReport> => {
  const startedAt = Date.now();
  if (options.profileFolder !== null) await mkdir(options.profileFolder, { recursive: true });
  const postgres = await startBenchPostgres();
  try {
    const measures = describeMeasures(await runAll(options, postgres));
    const bars = barsOf(measures);
    const { seconds, connections, rounds } = options;
    return {
      holds: bars.every((bar) => bar.holds),
      bars,
      measures,
      machine: await describeMachine(),
      postgres: { origin: postgres.origin, ...postgres.settings },
      settings: { seconds, connections, rounds, passes: passesIssued },
      startedAt: new Date(startedAt).toISOString(),
      seconds: (Date.now() - startedAt) / 1_000,
    };
  } finally {
    await postgres.stop();
    await stopParts();
  }
};
