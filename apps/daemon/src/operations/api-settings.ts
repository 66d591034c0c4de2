import { DECOMPRESSED_BYTES_MAX } from '#contracts';
import type { Partner } from '#gateway';
import { batchUnpacker, recordRouter } from '#ingest';
import type { AccessSettings, ApiSettings, LoginLinks, ProgramsControl } from '#operations';

import { runDoctor } from '../commands/doctor.js';
import type { Configuration } from '../environment/configuration.module.js';
import type { Platform } from '../platform.module.js';
import type { Storage } from '../storage/storage.module.js';
import { consoleSettings } from './console-settings.js';
import { SharedDoctor } from './shared-doctor.js';

/** Who may use the operations port. */
export function accessSettings(
  { live, environment: { operations } }: Configuration,
  { clock }: Pick<Storage, 'clock'>,
): AccessSettings {
  const { oidc, readOnly: isReadOnly, metrics, trustedProxies } = operations;
  return { tokens: () => live.current.operations.tokens, oidc, isReadOnly, metrics, trustedProxies, clock };
}

/**
 * What the operations API needs of the daemon, by what Nest gives.
 * @param loginLinks null: there are none
 */
export const apiSettings =
  (loginLinks: LoginLinks | null) =>
  (...parts: Parameters<typeof settingsOf>): ApiSettings => ({
    ...settingsOf(...parts),
    console: consoleSettings(parts[0], parts[2].logger, loginLinks),
  });

function settingsOf(
  configuration: Configuration,
  { clock, random, database, keys }: Storage,
  { wake, deeds, logger, metrics }: Platform,
  ...[programsControl, partner]: readonly [ProgramsControl, Partner?]
): Omit<ApiSettings, 'console'> {
  const { environment, programs, dialects } = configuration;
  const { kafka, wallet } = environment;
  const { members, quarantine: quarantineKey } = keys;
  // The environment is read again: a secret's file may have gone since the start.
  const doctor = new SharedDoctor(() => runDoctor(process.env), logger);
  return {
    ...accessSettings(configuration, { clock }),
    topics: kafka?.topics ?? null,
    programs: () => programs.current.file,
    dialects,
    ...{ random, database, keys: members, quarantineKey },
    intake: {
      ...{ keys, route: recordRouter(() => programs.current) },
      unpack: batchUnpacker(kafka?.decompressedBytesMax ?? DECOMPRESSED_BYTES_MAX),
      hasDeadLetters: environment.retention.hasDeadLetters,
    },
    onDeed: () => {
      wake.notify();
      deeds.notify();
    },
    onJobItems: (result, count) => {
      metrics.jobItems(result, count);
    },
    programsControl,
    partner: partner === undefined ? null : { calls: partner, timeoutMs: wallet?.timeoutMs ?? 0 },
    examine: () => doctor.examine(),
  };
}
