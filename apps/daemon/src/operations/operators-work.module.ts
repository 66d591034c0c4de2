import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { Partner } from '#gateway';
import { PARTNER } from '#gateway';
import type { ApiSettings, JobWork } from '#operations';
import {
  adoptionWork,
  API_SETTINGS,
  erasureWork,
  exportWork,
  jobRunner,
  provisioningWork,
  reconciliationWork,
  replayRunner,
  rereadingWork,
  scheduleWork,
} from '#operations';

import { Configuration } from '../environment/configuration.module.js';
import { interruptible, WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import { fingerprinter } from '../storage/storage.module.js';

/** Jobs that ask the partner. @param stopping the process stops: what only reads at the partner ends at once */
function partnerWorks(
  api: ApiSettings,
  { environment: { wallet } }: Configuration,
  { logger }: Platform,
  { partner, stopping }: { readonly partner: Partner; readonly stopping: AbortSignal },
): JobWork[] {
  const reading = { ...api, partner, logger, stopping };
  const fingerprint = fingerprinter(api.intake.keys);
  return [
    adoptionWork(reading),
    reconciliationWork(reading),
    provisioningWork({ ...api, partner, timeoutMs: wallet?.timeoutMs ?? 0, fingerprint, logger }),
    scheduleWork({ ...api, partner, timeoutMs: wallet?.timeoutMs ?? 0, logger, stopping }),
  ];
}

/** Carries out replays and stored jobs. @param partner absent: the jobs that need one are left to other processes */
function operatorsWork(
  api: ApiSettings,
  configuration: Configuration,
  platform: Platform,
  partner?: Partner,
): WorkLoops {
  const { logger, background, deeds } = platform;
  const jobs = interruptible((stopping) => {
    const alone = [erasureWork(api), exportWork(api), rereadingWork(api)];
    const asking = partner === undefined ? [] : partnerWorks(api, configuration, platform, { partner, stopping });
    return jobRunner({ ...api, logger, works: [...alone, ...asking] });
  });
  const runners = [replayRunner({ ...api, logger }), jobs];
  background.watch('operators', runners);
  deeds.onNotify(() => {
    for (const runner of runners) runner.wake();
  });
  return new WorkLoops(runners);
}

const OPERATORS_WORK = Symbol('OperatorsWork');

/** What operators asked for: replays and stored jobs. */
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
