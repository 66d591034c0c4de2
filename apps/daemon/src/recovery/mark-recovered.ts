import { beginRecovery } from '#intents';
import type { Logger } from '#platform';

import type { Storage } from '../wiring/storage.js';

/** Before anything is consumed or claimed. @throws {RecoveryRefusedError} */
export async function markRecovered(
  { database, clock }: Pick<Storage, 'database' | 'clock'>,
  recoveredFrom: number,
  logger: Logger,
): Promise<void> {
  const { isNew, isOld, ...recovery } = await beginRecovery(database, { recoveredFrom, now: clock.now() });
  const fields = Object.fromEntries(
    Object.entries(recovery).map(([name, time]) => [name, new Date(time).toISOString()]),
  );
  if (isNew) logger.warn(fields, 'recovery: what the lost history may have sent is not sent again without evidence');
  else if (isOld) {
    logger.warn(
      fields,
      'recovery: the flag is old and has no effect, take it out; after another restore tell its own moment',
    );
  } else logger.info(fields, 'recovery: this one has begun before');
}
