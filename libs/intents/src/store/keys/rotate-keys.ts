import type { Database, Keyring, Random, SqlStatement } from '#platform';
import { SealBrokenError, SafeError } from '#platform';

import { macContext, quarantineContext } from '../installation.js';
import type { AuditContext } from '../operator/operator-action.js';
import { AuditRepository } from '../operator/operator-action.js';
import { ProcessRepository } from '../processes/process.js';
import type { MemberKeys } from './member-keys.js';
import { keyContext } from './member-keys.js';

/** Keys of one page. */
export const wrappedKeysMax = 1_000;

/** A member's key as it is stored. */
interface WrappedKey {
  readonly laneId: number;
  readonly wrapped: Buffer;
}

const listWrappedKeysStatement: SqlStatement = {
  name: 'list_wrapped_keys',
  text: `
SELECT lane_id AS "laneId", wrapped_key AS wrapped FROM member_key WHERE lane_id > $1::bigint
ORDER BY lane_id LIMIT ${wrappedKeysMax}`,
};

/** A page of members' keys behind a lane, by lane; empty at the end. */
async function listWrappedKeys(database: Database, after: number): Promise<readonly WrappedKey[]> {
  return (await database.execute<WrappedKey>(listWrappedKeysStatement, [after])).rows;
}

/** A key, and the same key wrapped anew. */
interface RewrappedKey extends WrappedKey {
  readonly rewrapped: Buffer;
}

/**
 * Rows are locked in their order, as everywhere. What was changed since it was read stays as it is: an erased member's key
 * has gone, and one that came back has another.
 */
const replaceWrappedKeysStatement: SqlStatement = {
  name: 'replace_wrapped_keys',
  text: `
WITH sent AS MATERIALIZED (
  SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[]) AS s(lane_id, wrapped, rewrapped)
), locked AS MATERIALIZED (
  SELECT k.lane_id FROM member_key k WHERE k.lane_id = ANY ($1::bigint[]) ORDER BY k.lane_id FOR NO KEY UPDATE
)
UPDATE member_key k SET wrapped_key = s.rewrapped FROM sent s JOIN locked USING (lane_id)
WHERE k.lane_id = s.lane_id AND k.wrapped_key = s.wrapped`,
};

/** @returns how many were replaced */
async function replaceWrappedKeys(database: Database, keys: readonly RewrappedKey[]): Promise<number> {
  if (keys.length === 0) return 0;
  const { rowCount } = await database.execute(replaceWrappedKeysStatement, [
    keys.map(({ laneId }) => laneId),
    keys.map(({ wrapped }) => wrapped),
    keys.map(({ rewrapped }) => rewrapped),
  ]);
  return rowCount;
}

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
async function rotateInstallationKeys(database: Database, keyring: Keyring, random: Random): Promise<number> {
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

/** A second pass finds what was made during the first, a third what was made during the second: then it is told. */
const passesMax = 3;

/** Processes at work could not open a key that the first master key has wrapped: nothing was changed. */
export class KeyUnknownError extends SafeError {
  override readonly name = 'KeyUnknownError';

  constructor(readonly processes: readonly string[]) {
    super(
      `${processes.length} running processes do not know the first encryption key: ${processes.join(', ')}; ` +
        'give it to all of them as a further key (by a file, or with a restart), and ask again',
    );
  }
}

/** What became of the keys. */
export interface KeyRotation {
  /** Members' keys that were looked at last. */
  readonly members: number;
  /** Keys that were wrapped anew, the database's own two included. */
  readonly rewrapped: number;
  /** Members' keys that still need another master key: created meanwhile by a process whose first key is another one. */
  readonly left: number;
  /** Members' keys that none of the master keys opens. */
  readonly unopened: number;
  /** Hosts of processes at work that wrap new keys by another master key still. */
  readonly behind: readonly string[];
}

export interface RotationTools {
  readonly keyring: Keyring;
  readonly random: Random;
  readonly audit: AuditContext;
}

type Pass = Omit<KeyRotation, 'left' | 'behind'> & { readonly found: number };

/**
 * Wraps every data key by the first master key, so that the others can be taken away. What is sealed stays as it is. Safe
 * while processes work, resumable and repeatable: only keys that need it are touched, a page at a time.
 *
 * @throws {KeyUnknownError} before anything is changed
 * @throws {SealBrokenError} when no master key opens the database's own keys
 */
export async function rotateKeys(database: Database, tools: RotationTools): Promise<KeyRotation> {
  const { keyring, random, audit } = tools;
  await refuseWhereUnknown(database, keyring, audit.at);
  let rewrapped = await rotateInstallationKeys(database, keyring, random);
  let passes = 0;
  let pass: Pass;
  do {
    pass = await onePass(database, tools);
    rewrapped += pass.rewrapped;
    passes += 1;
  } while (pass.found > 0 && passes < passesMax);
  const { members, unopened, found } = pass;
  const rotation = { members, rewrapped, left: found, unopened };
  await new AuditRepository(database).recordAccess({
    audit,
    action: 'keys.rotate',
    place: null,
    detail: { ...rotation },
  });
  return { ...rotation, behind: await hostsWhere(database, audit.at, ([wrapsBy]) => wrapsBy !== keyring.ids[0]) };
}

async function refuseWhereUnknown(database: Database, keyring: Keyring, now: number): Promise<void> {
  const [first] = keyring.ids;
  const without = await hostsWhere(database, now, (keyIds) => first === undefined || !keyIds.includes(first));
  if (without.length > 0) throw new KeyUnknownError(without);
}

/** Of processes at work. */
async function hostsWhere(
  database: Database,
  now: number,
  has: (keyIds: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const processes = await new ProcessRepository(database).list(now);
  return processes.filter(({ isAlive, keyIds }) => isAlive && has(keyIds)).map(({ host }) => host);
}

/** `found`: those that need another key and can be opened, whether they were replaced or changed meanwhile. */
async function onePass(database: Database, { keyring, random }: RotationTools): Promise<Pass> {
  const pass = { members: 0, rewrapped: 0, found: 0, unopened: 0 };
  for (let page = await listWrappedKeys(database, 0); ;) {
    const last = page.at(-1);
    if (last === undefined) return pass;
    const others = page.filter(({ wrapped }) => !keyring.isCurrent(wrapped));
    const anew = others.flatMap((key) => rewrap(key, keyring, random));
    pass.members += page.length;
    pass.found += anew.length;
    pass.unopened += others.length - anew.length;
    pass.rewrapped += await replaceWrappedKeys(database, anew);
    page = await listWrappedKeys(database, last.laneId);
  }
}

function rewrap(key: WrappedKey, keyring: Keyring, random: Random): RewrappedKey[] {
  try {
    return [{ ...key, rewrapped: keyring.rewrap(key.wrapped, keyContext(key.laneId), random) }];
  } catch (error) {
    if (error instanceof SealBrokenError) return [];
    throw error;
  }
}

/** From each end: a key that went missing with a rotation took the oldest or the newest with it. */
const sampledFromEachEndMax = 200;

const sampleMemberKeysStatement: SqlStatement = {
  name: 'sample_member_keys',
  text: `
(SELECT lane_id AS "laneId", wrapped_key AS wrapped FROM member_key ORDER BY lane_id LIMIT ${sampledFromEachEndMax})
UNION
(SELECT lane_id, wrapped_key FROM member_key ORDER BY lane_id DESC LIMIT ${sampledFromEachEndMax})`,
};

/** How many members' keys were tried, and how many of them no master key opens. */
export interface SampledKeys {
  readonly tried: number;
  readonly unopened: number;
}

function opens(keys: MemberKeys, { laneId, wrapped }: { readonly laneId: number; readonly wrapped: Buffer }): boolean {
  try {
    keys.learn(laneId, wrapped);
    return true;
  } catch (error) {
    if (error instanceof SealBrokenError) return false;
    throw error;
  }
}

/** Tries the keys of the oldest and the newest members: all of them would be millions. */
export async function sampleMemberKeys(database: Database, keys: MemberKeys): Promise<SampledKeys> {
  const { rows } = await database.execute<{ laneId: number; wrapped: Buffer }>(sampleMemberKeysStatement);
  return { tried: rows.length, unopened: rows.filter((row) => !opens(keys, row)).length };
}
