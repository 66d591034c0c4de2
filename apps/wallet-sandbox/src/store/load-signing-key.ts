import { randomBytes } from 'node:crypto';
import type { Database } from '#platform';
import { statement } from './statement.js';

const signingKeyBytes = 32;

const insertSigningKey = statement(
  'insert_signing_key',
  `INSERT INTO wallet_sandbox.signing_key (value) VALUES ($1) ON CONFLICT DO NOTHING`,
);
const selectSigningKey = statement('select_signing_key', `SELECT value FROM wallet_sandbox.signing_key`);

/** The key that signs access tokens, made on the first start and kept for ever. */
export async function loadSigningKey(database: Database): Promise<Uint8Array> {
  await database.execute(insertSigningKey, [randomBytes(signingKeyBytes)]);
  const { rows } = await database.execute<{ value: Uint8Array }>(selectSigningKey);
  const key = rows[0]?.value;
  if (key === undefined) throw new Error('the signing key vanished while starting');
  return key;
}
