import type { JsonValue } from '#domain';
import { canonicalJson } from '#domain';
import type { Database, SqlSession, SqlStatement } from '#platform';

import { timestamp } from '../events/stored-event.js';
import type { ActingRole, OperatorWord } from '../operator/operator-action.js';
import { recordAction } from '../operator/operator-action.js';
import type { Job, JobKindName } from './job.js';
import { jobColumns } from './job.js';

export interface NewJob {
  /** The caller's own id: asking for the same again with it changes nothing. */
  readonly jobId: string;
  readonly kind: JobKindName;
  readonly program: string | null;
  /** Nothing secret; what is personal only as an identifier that other tables hold, too. */
  readonly request: Readonly<Record<string, unknown>>;
  /** What of it the audit shows; nothing personal. */
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly word: OperatorWord;
  /** In which role it is asked for; absent: to resume or cancel it takes an admin. */
  readonly role?: ActingRole;
}

const insertStatement: SqlStatement = {
  name: 'insert_job',
  text: `
INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by, needs_role)
VALUES ($1, $2, $3, $4::jsonb, $5, 'waiting', $6::timestamptz, $7, $8)
ON CONFLICT (job_id) DO NOTHING
RETURNING ${jobColumns}`,
};

const knownStatement: SqlStatement = { name: 'known_job', text: `SELECT ${jobColumns} FROM job WHERE job_id = $1` };

async function create(session: SqlSession, asked: NewJob): Promise<Job> {
  const { jobId, kind, program, request, detail, word, role = null } = asked;
  const { rows } = await session.query<Job>(insertStatement, [
    jobId,
    kind,
    program,
    JSON.stringify(request),
    word.reason,
    timestamp(word.at),
    word.actor,
    role,
  ]);
  const [made] = rows;
  if (made !== undefined) {
    const shown = { job: jobId, program, ...detail };
    await recordAction(session, { word, action: `${kind}.start`, place: null, detail: shown });
    return made;
  }
  const [known] = (await session.query<Job>(knownStatement, [jobId])).rows;
  if (known === undefined) throw new Error('a job vanished while it was made');
  if (!isSameRequest(known, { kind, program, request })) throw new JobIdTakenError();
  return known;
}

/** Nobody may take another's job for their own: an erasure that was never made would be reported as done. */
export class JobIdTakenError extends Error {
  override readonly name = 'JobIdTakenError';

  constructor() {
    super('the id belongs to a job that was asked for otherwise');
  }
}

/** As it is stored: what is undefined is not, and keys come back in another order. Why it was asked for may differ. */
function isSameRequest(known: Job, asked: Pick<NewJob, 'kind' | 'program' | 'request'>): boolean {
  if (known.kind !== asked.kind || known.program !== asked.program) return false;
  return canonicalJson(known.request as JsonValue) === canonicalJson(asked.request as JsonValue);
}

/**
 * Stores what somebody asks for, with its trace. With a known id nothing is changed: what is known is returned.
 * @throws {JobIdTakenError} where what is known was asked for otherwise
 */
export async function createJob(database: Database, job: NewJob): Promise<Job> {
  return database.transaction('create_job', (session) => create(session, job));
}
