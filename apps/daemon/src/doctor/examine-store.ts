import type { Environment } from '#contracts';
import type { InstallationKeys } from '#intents';
import type { Clock, Logger } from '#platform';

import type { ReadPrograms } from './check-programs.js';
import type { Examination, Step } from './examination.js';
import { notMade } from './examination.js';
import { skipped } from './finding.js';
import { checkInstallation } from './installation/check-installation.js';
import { checkRecovery } from './installation/check-recovery.js';
import { checkProcesses } from './installation/check-processes.js';
import { checkConnection } from './postgres/check-connection.js';
import type { Store } from './postgres/check-schema.js';
import { checkSchema } from './postgres/check-schema.js';
import { examineObjects, examineServer } from './postgres/examine-postgres.js';

/** What others build on. */
export interface ExaminedStore {
  readonly store: Step<Store>;
  readonly keys: Step<InstallationKeys>;
  readonly close: () => Promise<void>;
}

/** Postgres, what is in it, and the processes that report there. */
export function examineStore(
  examination: Examination,
  programs: Step<ReadPrograms>,
  { environment, clock, logger }: { readonly environment: Environment; readonly clock: Clock; readonly logger: Logger },
): ExaminedStore {
  const { database: settings, encryptionKeys } = environment;
  if (settings === null) {
    const name = 'postgres.connection';
    examination.tell(skipped(name, 'no usable database settings in this process'));
    return { store: notMade(name), keys: notMade(name), close: () => Promise.resolve() };
  }
  const { step: connection, close } = checkConnection(examination, settings, logger);
  const store = checkSchema(examination, connection, clock);
  examineServer(examination, connection, { settings, clock });
  examineObjects(examination, store);
  const keys = checkInstallation(examination, store, { environment, encryptionKeys });
  checkRecovery(examination, store);
  checkProcesses(examination, { connection, store, programs }, settings);
  return { store, keys, close };
}
