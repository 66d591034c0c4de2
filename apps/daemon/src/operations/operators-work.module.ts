import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { Partner } from '#gateway';
import { PARTNER } from '#gateway';
import type { JobWork, OperationsObserver } from '#operations';
import {
  erasureWork,
  exportWork,
  jobRunner,
  provisioningWork,
  reconciliationWork,
  replayWork,
  rereadingWork,
  scheduleWork,
} from '#operations';

import { Configuration } from '../environment/configuration.module.js';
import { interruptible, WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { fingerprinter, STORAGE } from '../storage/storage.module.js';

/** Begins the work on one kind of job. @param stopping the process stops: what only reads at the partner ends at once */
type Begin = (stopping: AbortSignal) => JobWork;

/** What all kinds of jobs are carried out with. */
const workTools = (
  { database, clock, random, keys }: Storage,
  { environment: { kafka, wallet }, programs, dialects }: Configuration,
  { logger, metrics }: Platform,
) => ({
  ...{ database, clock, random, logger, dialects, keys: keys.members, quarantineKey: keys.quarantine },
  topics: kafka?.topics ?? null,
  timeoutMs: wallet?.timeoutMs ?? 0,
  fingerprint: fingerprinter(keys),
  programs: () => programs.current.file,
  onJobItems: (...counted: Parameters<OperationsObserver['jobItems']>) => {
    metrics.jobItems(...counted);
  },
});

/** Carries out jobs. @param partner absent: those that need one are left to other processes */
function operatorsWork(
  storage: Storage,
  configuration: Configuration,
  platform: Platform,
  partner?: Partner,
): WorkLoops {
  const { background, actions } = platform;
  const tools = workTools(storage, configuration, platform);
  const alone = [replayWork, erasureWork, exportWork, rereadingWork].map((work) => () => work(tools));
  const asking = partner === undefined ? [] : partnerWorks({ ...tools, partner });
  const runners = [...alone, ...asking].map((begin) =>
    interruptible((stopping) => jobRunner({ ...tools, work: begin(stopping) })),
  );
  background.watch('operators', runners);
  actions.onNotify(() => {
    for (const runner of runners) runner.wake();
  });
  return new WorkLoops(runners);
}

/** Kinds of jobs that ask the partner. */
function partnerWorks(tools: ReturnType<typeof workTools> & { readonly partner: Partner }): Begin[] {
  return [
    (stopping) => reconciliationWork({ ...tools, stopping }),
    () => provisioningWork(tools),
    (stopping) => scheduleWork({ ...tools, stopping }),
  ];
}

const OPERATORS_WORK = Symbol('OperatorsWork');

/** What operators asked for: jobs. */
@Module({
  providers: [
    {
      provide: OPERATORS_WORK,
      inject: [STORAGE, Configuration, Platform, { token: PARTNER, optional: true }],
      useFactory: operatorsWork,
    },
  ],
})
export class OperatorsWorkModule {
  /** @param imports the operations API */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: OperatorsWorkModule, imports };
  }
}
