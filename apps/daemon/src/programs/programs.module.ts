import { hostname } from 'node:os';

import type { DynamicModule, ModuleMetadata } from '@nestjs/common';
import { Injectable, Module } from '@nestjs/common';

import type { ProgramsFile } from '#contracts';
import { DeliveryLoop } from '#outbox';
import type { ProcessFigures, ProgramsInForce } from '#intents';
import { ProcessRepository, ProgramsLoadRepository } from '#intents';
import type { RecordReload, ReloadOutcome } from '#operations';
import { ProgramsControl } from '#operations';

import { Configuration } from '../environment/configuration.module.js';
import { registerProgramsMetrics } from '../metrics/process-metrics.js';
import { OwnFigures } from '../observation/own-figures.js';
import { Platform } from '../platform.module.js';
import { Storage } from '../storage/storage.module.js';
import { ProgramMoves } from './program-moves.js';
import { ProgramsReloader } from './programs-reloader.js';
import { ProgramsWatch } from './programs-watch.js';

/** @param delivery absent in a process without the delivery role */
function createReloader(
  configuration: Configuration,
  { clock, database, keys }: Storage,
  { logger, metrics }: Platform,
  delivery?: Pick<DeliveryLoop, 'setPrograms'>,
): ProgramsReloader {
  const { programs, sources } = configuration;
  metrics.knowTopics((topic) => sources.of(programs.current.file).sourceOf(topic) !== null);
  metrics.knowPrograms(Object.keys(programs.current.file.programs));
  const loads = new ProgramsLoadRepository(database, keys.members);
  return new ProgramsReloader({
    ...{ programs, clock, logger, host: hostname() },
    admit: (taken) => loads.admit(taken, clock.now()),
    checkDialects: (file) => {
      configuration.checkDialects(file);
    },
    apply: (file) => {
      configuration.applyDialects(file);
      metrics.knowPrograms(Object.keys(file.programs));
      delivery?.setPrograms(file.programs);
    },
  });
}

/** Reports to the other processes which file this one works by, and follows changes of it. */
function openWatch(
  { environment: { roles }, programs }: Configuration,
  { clock, random, database, keyring }: Storage,
  { processId, logger, metrics }: Platform,
  ...[reloader, own]: [ProgramsReloader, OwnFigures]
): ProgramsWatch {
  const self = { processId, host: hostname(), roles };
  const keyIds = (): readonly string[] => keyring.ids;
  const figures = (): ProcessFigures => own.current;
  const signature = (): Promise<string | null> => programs.signature();
  const watch = new ProgramsWatch({
    ...{ processes: new ProcessRepository(database), clock, random, logger, reloader, self },
    ...{ keyIds, figures, signature },
  });
  registerProgramsMetrics(metrics.registry, () => watch.disagreeingSeconds);
  return watch;
}

@Injectable()
class ProcessPrograms implements ProgramsControl {
  readonly processId: string;

  constructor(
    private readonly configuration: Configuration,
    { processId }: Platform,
    private readonly reloader: ProgramsReloader,
  ) {
    this.processId = processId;
  }

  readonly file = (): ProgramsFile => this.configuration.programs.current.file;

  readonly inForce = (): ProgramsInForce => this.reloader.inForce;

  reload(record: RecordReload): Promise<ReloadOutcome> {
    return this.reloader.reload('operator', record);
  }
}

const providers = [
  {
    provide: ProgramsReloader,
    inject: [Configuration, Storage, Platform, { token: DeliveryLoop, optional: true }],
    useFactory: createReloader,
  },
  {
    provide: ProgramsWatch,
    inject: [Configuration, Storage, Platform, ProgramsReloader, OwnFigures],
    useFactory: openWatch,
  },
  {
    provide: ProgramMoves,
    inject: [Storage, Platform],
    useFactory: ({ database, clock, random }: Storage, { logger }: Platform) =>
      new ProgramMoves({ database, clock, random, logger }),
  },
  { provide: ProgramsControl, useClass: ProcessPrograms },
];

/** Which programs file this process works by, and how that changes. */
@Module({ providers, exports: [ProgramsReloader, ProgramsControl] })
export class ProgramsModule {
  /** @param imports delivery, where this process delivers */
  static forRoot(imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ProgramsModule, imports };
  }
}
