import type { Database, SqlSession, SqlStatement } from '#platform';
import { int4Array, SafeError } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import { requireOwner } from '../roles/application-role.js';
import { advanceSequences } from './advance-sequences.js';

/** SQL: whether this database sends nothing. Asked once for a statement: a sub-select of its own. */
export const isFenced = '(SELECT is_fenced())';

/** `held`: it records and sends. `leaving`: it begins nothing more. `released`: and nothing is under way. */
export type OwnershipState = 'held' | 'leaving' | 'released';

/** Who may record and send, by decision 0255. */
export interface Ownership {
  /** One more each time that somebody gives it. */
  readonly epoch: number;
  /** The server's number and the database's there, of the database that it was given to. */
  readonly place: string;
  /** The same of this one. */
  readonly here: string;
  readonly state: OwnershipState;
  /** Null: all partitions are its own. */
  readonly shard: OwnedShard | null;
}

/** Partitions of every topic that a database owns, others of the same shop own the rest. */
export interface OwnedShard {
  /** The installations that share the topics, and the group of consumers. */
  readonly shop: string;
  /** How many partitions each topic has. */
  readonly count: number;
  readonly partitions: readonly number[];
}

/** Nothing may be recorded or sent by this database. */
export class FencedDatabaseError extends SafeError {
  override readonly name = 'FencedDatabaseError';

  constructor(ownership: Ownership) {
    super(`${fenceText(ownership)}; see docs/operations/backup.md, A copy of the database`);
  }
}

/** Why it may not. */
export function fenceText({ epoch, place, here }: Ownership): string {
  if (place !== here) {
    return `this database is a copy: epoch ${epoch} was given to ${place}, this one is ${here}, and records and sends nothing until \`loyaltyd own\``;
  }
  return `epoch ${epoch} of this database was given up by \`loyaltyd disown\`: it records and sends nothing`;
}

/** Whether it may record and send. */
export function holds({ place, here, state }: Ownership): boolean {
  return state === 'held' && place === here;
}

/** The epoch is not to be had like this. */
export class OwnershipRefusedError extends SafeError {
  override readonly name = 'OwnershipRefusedError';
}

const firstStatement: SqlStatement = {
  name: 'begin_ownership',
  text: `
INSERT INTO ownership (epoch, place, state, since) VALUES (1, database_place(), 'held', $1::timestamptz)
ON CONFLICT DO NOTHING`,
};

const findStatement: SqlStatement = {
  name: 'find_ownership',
  text: `
SELECT epoch, place, database_place() AS here, state,
  CASE WHEN shop IS NOT NULL THEN
    jsonb_build_object('shop', shop, 'count', partition_count, 'partitions', partitions) END AS shard
FROM ownership`,
};

/** Null before the first start. */
export async function findOwnership(database: Pick<Database, 'execute'>): Promise<Ownership | null> {
  return (await database.execute<Ownership>(findStatement)).rows[0] ?? null;
}

/**
 * The first start takes the epoch; no later one does.
 * @throws {FencedDatabaseError}
 */
export async function requireOwnership(database: Database, now: number): Promise<Ownership> {
  await database.execute(firstStatement, [timestamp(now)]);
  const ownership = await findOwnership(database);
  if (ownership === null) throw new Error('who owns the database vanished');
  if (!holds(ownership)) throw new FencedDatabaseError(ownership);
  return ownership;
}

async function lockedOwnership(session: SqlSession): Promise<Ownership | null> {
  const statement = { name: 'lock_ownership', text: `${findStatement.text} FOR UPDATE` };
  return (await session.query<Ownership>(statement)).rows[0] ?? null;
}

/** How long a deed waits for what is under way in the tables, and makes what comes after it wait. */
const lockMsMax = 5_000;

/**
 * Whoever begins a call or records has these tables locked until its commit, since before it looks; so that all which has looked has committed,
 * and all that comes looks after us.
 */
const lockWritersStatement: SqlStatement = {
  name: 'lock_writers',
  text: 'LOCK TABLE kafka_offset, lane IN EXCLUSIVE MODE',
};

const leaveStatement: SqlStatement = {
  name: 'leave_ownership',
  text: `UPDATE ownership SET state = 'leaving', since = $1::timestamptz`,
};

const nothing = 'nobody has started on this database yet: there is nothing to give up, nor to give';

/**
 * Gives the epoch up: from its commit on nothing is begun or recorded here. Calls under way go on, and their answers are recorded.
 * @throws {OwnershipRefusedError | NotOwnerError}
 */
export async function leaveOwnership(database: Database, audit: AuditContext): Promise<void> {
  await database.transaction('leave_ownership', async (session) => {
    await requireOwner(session, 'give the database up');
    await session.query({ name: 'limit_lock_wait', text: `SELECT set_config('lock_timeout', '${lockMsMax}', true)` });
    await session.query(lockWritersStatement);
    const ownership = await lockedOwnership(session);
    if (ownership === null) throw new OwnershipRefusedError(nothing);
    if (ownership.state !== 'held') return;
    if (!holds(ownership)) throw new OwnershipRefusedError(fenceText(ownership));
    await session.query(leaveStatement, [timestamp(audit.at)]);
    const detail = { epoch: ownership.epoch, place: ownership.here };
    await recordAction(session, { audit, action: 'database.disown', place: null, detail });
  });
}

const releaseStatement: SqlStatement = {
  name: 'release_ownership',
  mayTakeLong: true,
  text: `
UPDATE ownership SET state = 'released', since = $1::timestamptz
WHERE state = 'leaving' AND place = database_place() AND NOT EXISTS (
  SELECT FROM lane WHERE attempt_open AND owner IS NOT NULL AND due_at > $1::timestamptz)`,
};

/**
 * Says that all is fenced, once no call is under way: each has been answered, or its lease has ended, and nothing is sent by it.
 * @returns false: some are
 */
export async function releaseOwnership(database: Database, now: number): Promise<boolean> {
  await database.execute(releaseStatement, [timestamp(now)]);
  return (await findOwnership(database))?.state === 'released';
}

const giveStatement: SqlStatement = {
  name: 'give_ownership',
  text: `UPDATE ownership SET epoch = epoch + 1, place = database_place(), state = 'held', since = $1::timestamptz`,
};

/** Only what shows its release, and is a copy of that, is free; else a person knows. */
function refuseHeld(ownership: Ownership, othersAreGone: boolean): void {
  if (holds(ownership)) throw new OwnershipRefusedError(`epoch ${ownership.epoch} is this database’s already`);
  const { place, here, state } = ownership;
  if (othersAreGone || (state === 'released' && place !== here)) return;
  throw new OwnershipRefusedError(
    place === here
      ? 'this database was given up, and a copy of it may work: only if none does, loyaltyd own --others-are-gone'
      : `the database at ${place} may still send: \`loyaltyd disown\` there, and copy it anew. Only if it is gone for good: loyaltyd own --others-are-gone`,
  );
}

export interface GivenOwnership {
  readonly audit: AuditContext;
  /** A person's word that no other copy works, nor ever will. */
  readonly othersAreGone: boolean;
}

/**
 * Gives this database the epoch, its sequences advanced first: a copy by rows has them at their start, and readers of the
 * events and the audit go by their numbers.
 * @throws {OwnershipRefusedError | NotOwnerError}
 */
export async function giveOwnership(
  database: Database,
  { audit, othersAreGone }: GivenOwnership,
): Promise<Pick<Ownership, 'epoch' | 'here'>> {
  return database.transaction('give_ownership', async (session) => {
    await requireOwner(session, 'give the database what it takes to send');
    const ownership = await lockedOwnership(session);
    if (ownership === null) throw new OwnershipRefusedError(nothing);
    refuseHeld(ownership, othersAreGone);
    await advanceSequences(session);
    await session.query(giveStatement, [timestamp(audit.at)]);
    const { epoch: last, place: from, here } = ownership;
    const given = { epoch: last + 1, here };
    const detail = { epoch: given.epoch, place: here, from, othersAreGone };
    await recordAction(session, { audit, action: 'database.own', place: null, detail });
    return given;
  });
}

const shardStatement: SqlStatement = {
  name: 'take_shard',
  text: `
UPDATE ownership SET shop = $1, partition_count = $2, partitions = $3::int[]
WHERE place = database_place() AND state = 'held' AND NOT EXISTS (SELECT FROM kafka_offset)`,
};

/**
 * Makes an empty database a shard, before anything is read into it: what it read of another one's partitions, it would send, too.
 * @throws {OwnershipRefusedError | NotOwnerError}
 */
export async function takeShard(
  database: Database,
  { shop, count, partitions }: OwnedShard,
  audit: AuditContext,
): Promise<void> {
  await database.transaction('take_shard', async (session) => {
    await requireOwner(session, 'say which partitions are the database’s');
    await session.query(firstStatement, [timestamp(audit.at)]);
    const { rowCount } = await session.query(shardStatement, [shop, count, int4Array(partitions)]);
    if (rowCount === 0) {
      throw new OwnershipRefusedError(
        'this database reads partitions already, or may not: only an empty one becomes a shard',
      );
    }
    await recordAction(session, { audit, action: 'database.shard', place: null, detail: { shop, count, partitions } });
  });
}
