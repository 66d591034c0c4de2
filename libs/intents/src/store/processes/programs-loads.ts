import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';

/** Files that are kept: who looks for what changed looks at the last ones. */
export const programsLoadsMax = 20;
/** A larger file is told by its hash alone. */
const contentCharsMax = 256 * 1024;

/** A programs file that a process took over. */
export interface TakenPrograms {
  /** Hex of the file's hash. */
  readonly hash: string;
  /** JSON of the file, with every default. */
  readonly content: string;
  /** Of the process that had it first. */
  readonly host: string;
}

/** One that another file was in force before. */
export interface ProgramsLoad extends Omit<TakenPrograms, 'content'> {
  readonly loadId: number;
  /** Epoch ms. */
  readonly at: number;
  /** Null: it was too large to be kept. */
  readonly content: string | null;
  /** Who asked for it, and why; null: the process took it over by itself, or at its start. */
  readonly actor: string | null;
  readonly reason: string | null;
}

/** One at a time: of processes that take the same file over at once one tells. */
const lockStatement: SqlStatement = {
  name: 'lock_programs_loads',
  text: 'SELECT pg_advisory_xact_lock(7226409127)',
};

const addStatement: SqlStatement = {
  name: 'add_programs_load',
  text: `
INSERT INTO programs_load (at, programs_hash, host, content, actor, reason)
SELECT $1::timestamptz, decode($2, 'hex'), $3, $4, $5, $6
WHERE (SELECT programs_hash FROM programs_load ORDER BY load_id DESC LIMIT 1) IS DISTINCT FROM decode($2, 'hex')`,
};

const forgetStatement: SqlStatement = {
  name: 'forget_programs_loads',
  text: `
DELETE FROM programs_load
WHERE load_id <= (SELECT load_id FROM programs_load ORDER BY load_id DESC OFFSET ${programsLoadsMax} LIMIT 1)`,
};

/** Keeps a file that is another one than that before. @param by who asked for it; null: nobody */
export async function addProgramsLoad(
  session: SqlSession,
  { hash, content, host }: TakenPrograms,
  by: { readonly at: number; readonly actor: string | null; readonly reason: string | null },
): Promise<void> {
  const kept = content.length > contentCharsMax ? null : content;
  await session.query(lockStatement, []);
  await session.query(addStatement, [timestamp(by.at), hash, host, kept, by.actor, by.reason]);
  await session.query(forgetStatement, []);
}

/** A process works by this file now. Nothing is kept where the last one that any process told of was the same. */
export async function recordProgramsLoad(database: Database, taken: TakenPrograms, at: number): Promise<void> {
  await database.transaction('record_programs_load', (session) =>
    addProgramsLoad(session, taken, { at, actor: null, reason: null }),
  );
}

const listStatement: SqlStatement = {
  name: 'list_programs_loads',
  text: `
SELECT load_id AS "loadId", at, encode(programs_hash, 'hex') AS hash, host, content, actor, reason
FROM programs_load ORDER BY load_id DESC LIMIT ${programsLoadsMax}`,
};

/** The last files, the newest first. */
export async function listProgramsLoads(database: Database): Promise<readonly ProgramsLoad[]> {
  return (await database.execute<ProgramsLoad>(listStatement)).rows;
}
