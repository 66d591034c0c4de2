import { Injectable } from '@nestjs/common';

import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';

/** Files that are kept, the last ones. */
export const programsLoadsMax = 20;
/** Of a larger file only the hash is kept. */
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

/** A file that came into force in place of another one. */
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

/** One at a time: of several processes that take over the same file one records it. */
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

/** Keeps a file that differs from the one before. @param by the actor; null: the process itself */
async function addProgramsLoad(
  session: SqlSession,
  { hash, content, host }: TakenPrograms,
  by: { readonly at: number; readonly actor: string | null; readonly reason: string | null },
): Promise<void> {
  const kept = content.length > contentCharsMax ? null : content;
  await session.query(lockStatement, []);
  await session.query(addStatement, [timestamp(by.at), hash, host, kept, by.actor, by.reason]);
  await session.query(forgetStatement, []);
}

const listStatement: SqlStatement = {
  name: 'list_programs_loads',
  text: `
SELECT load_id AS "loadId", at, encode(programs_hash, 'hex') AS hash, host, content, actor, reason
FROM programs_load ORDER BY load_id DESC LIMIT ${programsLoadsMax}`,
};

const requestReloadStatement: SqlStatement = {
  name: 'request_reload',
  text: `INSERT INTO programs_reload (at, programs_hash) VALUES ($1::timestamptz, decode($2, 'hex'))`,
};

/** What was read, and whether it differs from what this process worked by. */
export interface ReloadedPrograms {
  /** Hex. */
  readonly hash: string;
  readonly changed: boolean;
}

/** Which programs files were in force, and the requests to read the file again. */
@Injectable()
export class ProgramsLoadRepository {
  constructor(private readonly database: Database) {}

  /** The last files, the newest first. */
  async list(): Promise<readonly ProgramsLoad[]> {
    return (await this.database.execute<ProgramsLoad>(listStatement)).rows;
  }

  /** A process works by this file from now (epoch ms) on. A file that equals the last one of any process is not kept again. */
  async record(taken: TakenPrograms, at: number): Promise<void> {
    await this.database.transaction('record_programs_load', (session) =>
      addProgramsLoad(session, taken, { at, actor: null, reason: null }),
    );
  }

  /** An operator has the programs file read again, with an audit entry; every process follows with its next report. */
  async requestReload(
    { loaded, taken }: { readonly loaded: ReloadedPrograms; readonly taken: TakenPrograms },
    audit: AuditContext,
  ): Promise<void> {
    await this.database.transaction('request_reload', async (session) => {
      await session.query(requestReloadStatement, [timestamp(audit.at), loaded.hash]);
      if (loaded.changed) await addProgramsLoad(session, taken, audit);
      await recordAction(session, { audit, action: 'programs.reload', place: null, detail: { ...loaded } });
    });
  }
}
