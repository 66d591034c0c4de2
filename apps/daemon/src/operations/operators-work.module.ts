import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { Partner } from '#gateway';
import { PARTNER } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import {
  API_SETTINGS,
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
import { fingerprinter } from '../storage/storage.module.js';

/** Begins the work on one kind of job. @param stopping the process stops: what only reads at the partner ends at once */
type Begin = (stopping: AbortSignal) => JobWork;

/** Kinds of jobs that ask the partner. */
function partnerWorks(
  api: ApiSettings,
  { environment: { wallet } }: Configuration,
  { logger }: Platform,
  partner: Partner,
): Begin[] {
  const reading = { ...api, partner, logger };
  const timeoutMs = wallet?.timeoutMs ?? 0;
  const fingerprint = fingerprinter(api.intake.keys);
  return [
    (stopping) => reconciliationWork({ ...reading, stopping }),
    () => provisioningWork({ ...api, partner, timeoutMs, fingerprint, logger }),
    (stopping) => scheduleWork({ ...api, partner, timeoutMs, logger, stopping }),
  ];
}

/** Carries out jobs. @param partner absent: those that need one are left to other processes */
function operatorsWork(
  api: ApiSettings,
  configuration: Configuration,
  platform: Platform,
  partner?: Partner,
): WorkLoops {
  const { logger, background, deeds } = platform;
  const alone = [replayWork(api), erasureWork(api), exportWork(api), rereadingWork(api)].map((work) => () => work);
  const asking = partner === undefined ? [] : partnerWorks(api, configuration, platform, partner);
  const runners = [...alone, ...asking].map((begin) =>
    interruptible((stopping) => jobRunner({ ...api, logger, work: begin(stopping) })),
  );
  background.watch('operators', runners);
  deeds.onNotify(() => {
    for (const runner of runners) runner.wake();
  });
  return new WorkLoops(runners);
}

const OPERATORS_WORK = Symbol('OperatorsWork');

/** What operators asked for: jobs. */
@Module({
  providers: [
    {
      provide: OPERATORS_WORK,
      inject: [API_SETTINGS, Configuration, Platform, { token: PARTNER, optional: true }],
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
