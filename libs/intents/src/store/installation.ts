import type { Database, Keyring, Random, SqlStatement } from '#platform';
import { SealBrokenError, SafeError } from '#platform';

import { timestamp } from './events/stored-event.js';
import { contextOf } from './keys/seal-place.js';

/** The partner that a database belongs to (contracts.md section 3). */
export interface PartnerIdentity {
  readonly baseUrl: string;
  readonly environment: string;
}

/** The database was filled for another partner: nothing of it may be posted to this one. */
export class ForeignDatabaseError extends SafeError {
  override readonly name = 'ForeignDatabaseError';

  constructor(readonly remembered: PartnerIdentity) {
    super(
      `this database belongs to the partner at ${remembered.baseUrl} (${remembered.environment}); ` +
        'run `loyaltyd migrate --adopt-environment` if it really shall be used with another one',
    );
  }
}

/** Keys that live as long as the database, unwrapped. */
export interface InstallationKeys {
  readonly mac: Uint8Array;
  readonly quarantine: Uint8Array;
}

const insertStatement: SqlStatement = {
  name: 'insert_installation',
  text: `
INSERT INTO installation (wrapped_mac_key, wrapped_quarantine_key, created_at)
VALUES ($1, $2, $3::timestamptz) ON CONFLICT DO NOTHING`,
};

const claimStatement: SqlStatement = {
  name: 'claim_installation',
  text: `
UPDATE installation SET partner_base_url = $1, partner_environment = $2 WHERE partner_base_url IS NULL`,
};

const selectStatement: SqlStatement = {
  name: 'select_installation',
  text: 'SELECT partner_base_url, partner_environment, wrapped_mac_key, wrapped_quarantine_key FROM installation',
};

const adoptStatement: SqlStatement = {
  name: 'adopt_environment',
  text: 'UPDATE installation SET partner_base_url = $1, partner_environment = $2',
};

interface InstallationRow {
  readonly partner_base_url: string | null;
  readonly partner_environment: string | null;
  readonly wrapped_mac_key: Buffer;
  readonly wrapped_quarantine_key: Buffer;
}

/** What the installation's wrapped keys are bound to. */
export const macContext = contextOf({ column: 'installation.wrapped_mac_key' });
export const quarantineContext = contextOf({ column: 'installation.wrapped_quarantine_key' });

/**
 * Opens the installation, creating it on the first start. A process without the delivery role knows no partner (null).
 * @throws {ForeignDatabaseError} when the database remembers another partner
 * @throws {SealBrokenError} when no key of the keyring fits
 */
export async function openInstallation(
  database: Database,
  partner: PartnerIdentity | null,
  tools: { readonly keyring: Keyring; readonly random: Random; readonly now: number },
): Promise<InstallationKeys> {
  const { keyring } = tools;
  const row = (await select(database)) ?? (await create(database, tools));
  if (partner !== null) await checkPartner(database, partner);
  return unwrapKeys(row, keyring);
}

/** What a database says of its installation. */
export interface InspectedInstallation {
  /** Null until a process with the delivery role has started. */
  readonly partner: PartnerIdentity | null;
  /** Null where no key of the keyring opens them. */
  readonly keys: InstallationKeys | null;
}

/** Looks at the installation without making anything. Null before the first start. */
export async function inspectInstallation(
  database: Database,
  keyring: Pick<Keyring, 'unwrap'>,
): Promise<InspectedInstallation | null> {
  const row = await select(database);
  if (row === undefined) return null;
  const { partner_base_url: baseUrl, partner_environment: environment } = row;
  const partner = baseUrl === null || environment === null ? null : { baseUrl, environment };
  try {
    return { partner, keys: unwrapKeys(row, keyring) };
  } catch (error) {
    if (error instanceof SealBrokenError) return { partner, keys: null };
    throw error;
  }
}

/** Makes the database belong to another partner, on an operator's word. */
export async function adoptEnvironment(database: Database, partner: PartnerIdentity): Promise<void> {
  await database.execute(adoptStatement, [partner.baseUrl, partner.environment]);
}

/** @throws {SealBrokenError} */
function unwrapKeys(row: InstallationRow, keyring: Pick<Keyring, 'unwrap'>): InstallationKeys {
  return {
    mac: keyring.unwrap(row.wrapped_mac_key, macContext),
    quarantine: keyring.unwrap(row.wrapped_quarantine_key, quarantineContext),
  };
}

async function select(database: Database): Promise<InstallationRow | undefined> {
  const { rows } = await database.execute<InstallationRow>(selectStatement);
  return rows[0];
}

/** The first process that talks to a partner decides which one the database belongs to. */
async function checkPartner(database: Database, partner: PartnerIdentity): Promise<void> {
  await database.execute(claimStatement, [partner.baseUrl, partner.environment]);
  const row = await select(database);
  const remembered = { baseUrl: row?.partner_base_url ?? '', environment: row?.partner_environment ?? '' };
  if (remembered.baseUrl !== partner.baseUrl || remembered.environment !== partner.environment) {
    throw new ForeignDatabaseError(remembered);
  }
}

async function create(
  database: Database,
  tools: { readonly keyring: Keyring; readonly random: Random; readonly now: number },
): Promise<InstallationRow> {
  const { keyring, random, now } = tools;
  await database.execute(insertStatement, [
    keyring.createDataKey(macContext, random).wrapped,
    keyring.createDataKey(quarantineContext, random).wrapped,
    timestamp(now),
  ]);
  const row = await select(database);
  if (row === undefined) throw new Error('the installation vanished');
  return row;
}
