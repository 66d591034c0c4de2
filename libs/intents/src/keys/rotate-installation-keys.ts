import type { Database, Keyring, Random, SqlStatement } from '#platform';

import { macContext, quarantineContext } from '../installation.js';

const lockStatement: SqlStatement = {
  name: 'lock_installation_keys',
  text: 'SELECT wrapped_mac_key AS mac, wrapped_quarantine_key AS quarantine FROM installation FOR NO KEY UPDATE',
};

const updateStatement: SqlStatement = {
  name: 'replace_installation_keys',
  text: 'UPDATE installation SET wrapped_mac_key = $1, wrapped_quarantine_key = $2',
};

/**
 * Wraps the database's own two keys by the first master key.
 *
 * @returns how many it had to; 0 before the first start
 * @throws {SealBrokenError} when no master key fits
 */
export async function rotateInstallationKeys(database: Database, keyring: Keyring, random: Random): Promise<number> {
  return database.transaction('rotate_installation_keys', async (session) => {
    const [row] = (await session.query<{ mac: Buffer; quarantine: Buffer }>(lockStatement)).rows;
    if (row === undefined) return 0;
    const others = [row.mac, row.quarantine].filter((wrapped) => !keyring.isCurrent(wrapped)).length;
    if (others === 0) return 0;
    await session.query(updateStatement, [
      keyring.rewrap(row.mac, macContext, random),
      keyring.rewrap(row.quarantine, quarantineContext, random),
    ]);
    return others;
  });
}
