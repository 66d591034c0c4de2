import { Injectable } from '@nestjs/common';

import type { ProgramsFile } from '#contracts';
import { topicPattern } from '#contracts';
import type { AskedFact, DangerousChange } from '#intents/core';
import { dangerousChanges, dangerousSourceChanges, factsAsked } from '#intents/core';
import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { timestamp } from '../events/stored-event.js';
import { MemberKeys } from '../keys/member-keys.js';
import type { AuditContext } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import { beginMove } from '../passes/forget-passes.js';
import { findFacts, findTopicFacts, noTopics } from './programs-facts.js';

/** Files that are kept, the last ones. */
export const programsLoadsMax = 20;
/** Of a larger file only the hash is kept, once another one follows it. */
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
  /** Changes that an admin accepted with it. */
  readonly accepted: readonly string[];
}

/** One at a time: each file is judged against the one before. */
const lockStatement: SqlStatement = {
  name: 'lock_programs_loads',
  text: 'SELECT pg_advisory_xact_lock(7226409127)',
};

const lastStatement: SqlStatement = {
  name: 'find_last_programs_load',
  text: `
SELECT encode(programs_hash, 'hex') AS hash, content, host FROM programs_load
WHERE refused IS NULL ORDER BY load_id DESC LIMIT 1`,
};

const lastRefusedStatement: SqlStatement = {
  name: 'find_last_refused_programs',
  text: `
SELECT encode(programs_hash, 'hex') AS hash, content, host FROM programs_load
WHERE refused IS NOT NULL AND load_id > COALESCE((SELECT max(load_id) FROM programs_load WHERE refused IS NULL), 0)
ORDER BY load_id DESC LIMIT 1`,
};

const addStatement: SqlStatement = {
  name: 'add_programs_load',
  text: `
INSERT INTO programs_load (at, programs_hash, host, content, actor, reason, accepted, refused)
VALUES ($1::timestamptz, decode($2, 'hex'), $3, $4, $5, $6, $7::text[], $8::text[])`,
};

const forgetStatement: SqlStatement = {
  name: 'forget_programs_loads',
  text: `
DELETE FROM programs_load l WHERE load_id <= (
  SELECT load_id FROM programs_load o WHERE (o.refused IS NULL) = (l.refused IS NULL)
  ORDER BY load_id DESC OFFSET ${programsLoadsMax} LIMIT 1)`,
};

const forgetContentStatement: SqlStatement = {
  name: 'forget_programs_contents',
  text: `
UPDATE programs_load l SET content = NULL WHERE length(content) > ${contentCharsMax} AND EXISTS (
  SELECT FROM programs_load o WHERE (o.refused IS NULL) = (l.refused IS NULL) AND o.load_id > l.load_id)`,
};

interface KeptFile extends Omit<TakenPrograms, 'content'> {
  readonly content: string | null;
}

/** The file that was last in force; null: there was none. */
async function findLast(session: SqlSession): Promise<KeptFile | null> {
  return (await session.query<KeptFile>(lastStatement, [])).rows[0] ?? null;
}

/** The file that was refused last, since that came into force; null: there is none. */
async function findRefused(session: SqlSession): Promise<KeptFile | null> {
  return (await session.query<KeptFile>(lastRefusedStatement, [])).rows[0] ?? null;
}

/** Who had a file read, and what they accept; null: the process itself. */
interface LoadedBy {
  readonly at: number;
  readonly actor: string | null;
  readonly reason: string | null;
  readonly accept: readonly string[];
}

async function keep(
  session: SqlSession,
  { hash, content, host }: KeptFile,
  { by, refused }: { readonly by: LoadedBy; readonly refused: readonly string[] | null },
): Promise<void> {
  const { at, actor, reason, accept } = by;
  await session.query(addStatement, [timestamp(at), hash, host, content, actor, reason, accept, refused]);
  await session.query(forgetStatement, []);
  await session.query(forgetContentStatement, []);
}

function parsed({ content }: Pick<KeptFile, 'content'>): ProgramsFile | null {
  return content === null ? null : (JSON.parse(content) as ProgramsFile);
}

/** What another file would do in place of the one in force, by what is there now. Changes nothing. */
async function examine(
  session: SqlSession,
  files: { readonly before: KeptFile | null; readonly after: KeptFile },
  keys: MemberKeys | null,
): Promise<DangerousChange[]> {
  const before = files.before === null ? null : parsed(files.before);
  const after = parsed(files.after);
  if (before === null || after === null || files.before?.hash === files.after.hash) return [];
  const isThere = await findFacts(session, [...factsAsked(before, after), ...membersOf(after)], keys);
  const facts = hasSources(before) || hasSources(after) ? await findTopicFacts(session) : noTopics;
  return [
    ...dangerousChanges(before, after, isThere),
    ...dangerousSourceChanges(before, after, { facts, isThere, meaningOf: topicPattern }),
  ];
}

const hasSources = ({ sources = {} }: ProgramsFile): boolean => Object.keys(sources).length > 0;

/** Whose members a source with rights of its own may have erased or merged. */
function membersOf({ sources = {} }: ProgramsFile): AskedFact[] {
  const programs = Object.values(sources).flatMap((source) => (source.may.length > 0 ? source.programs : []));
  return programs.map((program) => ({ program, fact: { kind: 'members' } }));
}

function problemsOf(dangers: readonly DangerousChange[], accept: readonly string[]): string[] {
  const known = new Set(dangers.map(({ name }) => name));
  return [
    ...dangers
      .filter(({ name, isAcceptable }) => !isAcceptable || !accept.includes(name))
      .map(({ problem }) => problem),
    ...accept.filter((name) => !known.has(name)).map((name) => `accept: ${name} is no change that has to be accepted`),
  ];
}

/** @returns why it cannot come into force; nothing: it is in force from now on */
async function admit(
  session: SqlSession,
  { file, by }: { readonly file: KeptFile; readonly by: LoadedBy },
  keys: MemberKeys,
): Promise<readonly string[]> {
  await session.query(lockStatement, []);
  const before = await findLast(session);
  if (before?.hash === file.hash) return [];
  const dangers = await examine(session, { before, after: file }, keys);
  const problems = problemsOf(dangers, by.accept);
  if (problems.length === 0) {
    await keep(session, file, { by, refused: null });
    const moved = new Set(dangers.filter(({ plan }) => plan === 'new-cards').map(({ program }) => program));
    for (const program of moved) await beginMove(session, program, by.at);
  } else if ((await findRefused(session))?.hash !== file.hash) {
    await keep(session, file, { by: { ...by, accept: [] }, refused: problems });
  }
  return problems;
}

const listStatement: SqlStatement = {
  name: 'list_programs_loads',
  text: `
SELECT load_id AS "loadId", at, encode(programs_hash, 'hex') AS hash, host, content, actor, reason, accepted
FROM programs_load WHERE refused IS NULL ORDER BY load_id DESC LIMIT ${programsLoadsMax}`,
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

/** A file that somebody has had read. */
interface ReloadRequest {
  readonly loaded: ReloadedPrograms;
  readonly taken: TakenPrograms;
  /** Names of changes that may be dangerous. Where the file is the same as before, those of the one that was refused last. */
  readonly accept: readonly string[];
}

/** Which programs files were in force, which may come into force, and the requests to read the file again. */
@Injectable()
export class ProgramsLoadRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** The last files that were in force, the newest first. */
  async list(): Promise<readonly ProgramsLoad[]> {
    return (await this.database.execute<ProgramsLoad>(listStatement)).rows;
  }

  /**
   * A process is about to work by this file, from now (epoch ms) on. One that equals the last one of any process is not kept
   * again. Of several processes with different files each is judged against the one before.
   * @returns why it must not, one sentence each; nothing: it may
   */
  async admit(taken: TakenPrograms, at: number): Promise<readonly string[]> {
    const by = { at, actor: null, reason: null, accept: [] };
    return this.database.transaction('admit_programs', (session) => admit(session, { file: taken, by }, this.keys));
  }

  /**
   * An operator has the programs file read again, with an audit entry; every process follows with its next report.
   * @returns why it must not come into force; nothing: it does
   */
  async requestReload(request: ReloadRequest, audit: AuditContext): Promise<readonly string[]> {
    return this.database.transaction('request_reload', (session) => reload(session, { request, audit }, this.keys));
  }
}

/** What another file would do in place of the one in force. Reads only. @param keys null: what is sealed is not opened */
export async function examinePrograms(
  database: Database,
  file: TakenPrograms,
  keys: MemberKeys | null,
): Promise<DangerousChange[]> {
  return database.transaction('examine_programs', async (session) =>
    examine(session, { before: await findLast(session), after: file }, keys),
  );
}

async function reload(
  session: SqlSession,
  { request, audit }: { readonly request: ReloadRequest; readonly audit: AuditContext },
  keys: MemberKeys,
): Promise<readonly string[]> {
  const { loaded, taken, accept } = request;
  const file = await fileMeant(session, request);
  if (file === null) return ['accept: no file was refused'];
  // A process that reads again what it works by takes nothing over.
  const isNew = loaded.changed || accept.length > 0;
  const problems = isNew ? await admit(session, { file, by: { ...audit, accept } }, keys) : [];
  if (problems.length > 0) return problems;
  const { hash } = file;
  await session.query(requestReloadStatement, [timestamp(audit.at), hash]);
  const detail = {
    hash,
    changed: loaded.changed || hash !== taken.hash,
    ...(accept.length > 0 && { accepted: accept }),
  };
  await recordAction(session, { audit, action: 'programs.reload', place: null, detail });
  return [];
}

/** Who accepts what the process that they ask cannot read, means the file with which another one could not start. */
async function fileMeant(session: SqlSession, { loaded, taken, accept }: ReloadRequest): Promise<KeptFile | null> {
  return loaded.changed || accept.length === 0 ? taken : findRefused(session);
}
