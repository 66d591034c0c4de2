import { inspectInstallation, MemberKeys, sampleMemberKeys } from '#intents';
import type { BackgroundLoop, Logger } from '#platform';
import { Keyring } from '#platform';

import { followFiles } from '../environment/follow-files.js';
import type { FileGuard, LiveEnvironment } from '../environment/live-environment.js';
import type { DaemonMetrics } from '../metrics/daemon-metrics.js';
import { registerFileMetrics } from '../metrics/file-metrics.js';
import { MasterKeys } from './master-keys.js';
import { samePlace } from './same-place.js';
import type { Storage } from './storage.js';

/** Only a list that opens what is stored is taken over. */
function opensAll({ database, random }: Storage): FileGuard {
  return async ({ encryptionKeys }) => {
    const keyring = new Keyring(encryptionKeys ?? []);
    const installation = await inspectInstallation(database, keyring);
    if (installation?.keys === null) return 'none of these keys opens this database';
    const { unopened } = await sampleMemberKeys(database, new MemberKeys(keyring, random));
    return unopened === 0
      ? null
      : 'a key is missing that members’ keys are wrapped by: run `loyaltyd rotate-keys` first';
  };
}

/** Starts following the files of this process' secrets and certificates. */
export function followSecrets(
  live: LiveEnvironment,
  storage: Storage,
  { metrics, logger }: { readonly metrics: DaemonMetrics; readonly logger: Logger },
): BackgroundLoop {
  const { clock, random, keyring } = storage;
  live.guard('DATABASE_URL_FILE', samePlace(live));
  live.guard('LOYALTYD_ENCRYPTION_KEY_FILE', opensAll(storage));
  registerFileMetrics(metrics.registry, live);
  const masters = new MasterKeys(keyring, clock, live.current.encryptionKeys ?? []);
  const apply = (): void => {
    masters.follow(live.current.encryptionKeys ?? []);
  };
  const loop = followFiles(live, { clock, random, logger, apply });
  loop.start();
  return loop;
}
