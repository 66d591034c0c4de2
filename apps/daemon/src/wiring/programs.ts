import { hostname } from 'node:os';

import type { Environment, ProgramsFile } from '#contracts';
import { DialectRegistry } from '#gateway';
import type { DialectLayers } from '#gateway';
import type { ProgramsControl } from '#operations';
import type { BackgroundLoop, Logger } from '#platform';

import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { registerProgramsMetrics } from '../metrics/programs-metrics.js';
import { fileSignature } from '../programs/file-signature.js';
import type { ProgramsHolder } from '../programs/programs-holder.js';
import { ProgramsReloader } from '../programs/programs-reloader.js';
import { ProgramsWatch } from '../programs/programs-watch.js';
import type { Storage } from './storage.js';

export interface ProgramsTools {
  readonly programs: ProgramsHolder;
  readonly dialects: DialectRegistry;
  /** The dialects of a programs file over those of the dialect file. */
  readonly layers: (file: ProgramsFile) => DialectLayers;
  /** Null in a process without the delivery role. */
  readonly delivery: { setPrograms(programs: ProgramsFile['programs']): void } | null;
  readonly logger: Logger;
  readonly metrics: DaemonMetrics;
}

/** Which programs file this process works by, and how that changes. */
export interface ProgramsParts {
  readonly reloader: ProgramsReloader;
  readonly control: ProgramsControl;
  /** Not yet started. */
  readonly watch: BackgroundLoop;
}

/** Everything that reads the programs file again. */
export function openPrograms(
  { programsFile, roles }: Environment,
  storage: Storage,
  tools: ProgramsTools,
): ProgramsParts {
  const { clock, random, database } = storage;
  const { programs, dialects, layers, delivery, logger, metrics } = tools;
  const reloader = new ProgramsReloader({
    ...{ programs, clock, logger },
    checkDialects: (file) => {
      new DialectRegistry(layers(file));
    },
    apply: (file) => {
      dialects.replace(layers(file));
      metrics.knowPrograms(Object.keys(file.programs));
      delivery?.setPrograms(file.programs);
    },
  });
  metrics.knowPrograms(Object.keys(programs.current.file.programs));
  const processId = random.uuid();
  const self = { processId, host: hostname(), roles };
  const signature = (): Promise<string | null> => fileSignature(programsFile);
  const keyIds = (): readonly string[] => storage.keyring.ids;
  const watch = new ProgramsWatch({ database, clock, random, logger, reloader, self, keyIds, signature });
  registerProgramsMetrics(metrics.registry, () => watch.disagreeingSeconds);
  return {
    reloader,
    control: { processId, reload: (record) => reloader.reload('operator', record) },
    watch: watch.loop(),
  };
}
