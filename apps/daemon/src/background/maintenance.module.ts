import type { DynamicModule } from '@nestjs/common';
import { Module } from '@nestjs/common';

import type { Environment } from '#contracts';
import type { RetentionPolicy, RetentionReport } from '#intents';
import { dayMs, keepPartitions, mayRetain, partitionPositions, retain } from '#intents';
import type { Logger } from '#platform';
import { BackgroundLoop } from '#platform';

import { Configuration } from '../environment/configuration.module.js';
import type { BackgroundWork } from '../lifecycle/loops.js';
import { interruptible, WorkLoops } from '../lifecycle/loops.js';
import { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { STORAGE } from '../storage/storage.module.js';

/** At the highest throughput measured, a partition lasts for ten minutes. */
const partitionsIntervalMs = 60_000;
const partitionsBusyMs = 5_000;

/** Makes partitions of the events ahead of the one in use. */
function openPartitionKeeper(storage: Storage, partitionsAhead: number, logger: Logger): BackgroundLoop {
  const { database, clock, random } = storage;
  return new BackgroundLoop({
    workOnce: async () => {
      const { made, isBusy } = await keepPartitions(database, {
        ahead: partitionsAhead,
        positions: partitionPositions,
      });
      if (made.length > 0) logger.info({ partitions: made }, 'partitions of events were made');
      return isBusy ? partitionsBusyMs : partitionsIntervalMs;
    },
    close: async () => undefined,
    failureMessage: 'partitions of events were not made',
    ...{ clock, random, logger },
  });
}

/** A start has better things to do. */
const retentionFirstRunMs = 60_000;
const retentionIntervalMs = 3_600_000;

/** Something stays that should leave, and does so until a person has looked. */
function isTroubled({ lanesDiffering, lanesFailed, heldBy }: RetentionReport): boolean {
  return lanesDiffering + lanesFailed > 0 || heldBy !== null;
}

function hasDoneSomething({ intents, identities, quarantined, jobs }: RetentionReport): boolean {
  return intents + identities + quarantined + jobs > 0;
}

function logReport(report: RetentionReport, logger: Logger): void {
  if (isTroubled(report)) logger.warn({ ...report }, 'retention was carried out, but for some of it');
  else if (hasDoneSomething(report)) logger.info({ ...report }, 'retention was carried out');
}

/** Runs retention once a day, in one process at a time; where our role may not, that is another one's (`loyaltyd retain`). */
function openRetention(storage: Storage, policy: RetentionPolicy, logger: Logger): BackgroundWork {
  const { database, clock, random } = storage;
  let isFirst = true;
  const workOnce = async (signal: AbortSignal): Promise<number> => {
    if (isFirst) {
      isFirst = false;
      return retentionFirstRunMs;
    }
    try {
      if (!(await mayRetain(database))) return retentionIntervalMs;
      const report = await retain({ database, clock, random, signal }, policy, dayMs);
      if (report !== null) logReport(report, logger);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return retentionIntervalMs;
  };
  const tools = {
    close: async () => undefined,
    failureMessage: 'retention was not carried out',
    clock,
    random,
    logger,
  };
  return interruptible((stopping) => new BackgroundLoop({ workOnce: () => workOnce(stopping), ...tools }));
}

const PARTITIONS = Symbol('Partitions');
const RETENTION = Symbol('Retention');

const partitions = {
  provide: PARTITIONS,
  inject: [Configuration, STORAGE, Platform],
  useFactory: ({ environment }: Configuration, storage: Storage, { logger, background }: Platform): WorkLoops => {
    const keeper = openPartitionKeeper(storage, environment.database?.partitionsAhead ?? 0, logger);
    background.watch('partitions', [keeper]);
    return new WorkLoops([keeper]);
  },
};

const retention = {
  provide: RETENTION,
  inject: [Configuration, STORAGE, Platform],
  useFactory: ({ environment }: Configuration, storage: Storage, { logger, background }: Platform): WorkLoops => {
    const loop = openRetention(storage, environment.retention, logger);
    background.watch('retention', [loop]);
    return new WorkLoops([loop]);
  },
};

/** Keeps the tables in order: partitions of the events in every process, the rest in those with the operations role. */
@Module({})
export class MaintenanceModule {
  static forRoles(roles: Environment['roles']): DynamicModule {
    const rest = roles.includes('operations') ? [retention] : [];
    return { module: MaintenanceModule, providers: [partitions, ...rest] };
  }
}
