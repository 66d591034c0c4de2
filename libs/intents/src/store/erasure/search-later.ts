import type { SqlSession, SqlStatement } from '#platform';
import { seal, sealContext, unseal } from '#platform';

import type { IngestKeys } from '../batch/recording.js';
import { timestamp } from '../events/stored-event.js';
import type { ErasureTrace } from './erasure-facts.js';
import { erasedName } from './erased-names.js';

/** A member, and its lane. */
export interface ErasedMember {
  readonly memberId: string;
  readonly laneId: number;
}

/** How far the search of the quarantine has come, once the lanes of a person are erased. */
export interface QuarantineCursor {
  readonly trace: ErasureTrace;
  /** Whose records are looked for, one member after the other: all who were merged are one person. */
  readonly members: readonly [ErasedMember, ...ErasedMember[]];
  /** Of all of them. */
  readonly memberIds: readonly string[];
  /** By which their addresses are known: nobody can tell them once their keys are gone. */
  readonly addressMacs: readonly string[];
  readonly after: number;
}

const searchStatement: SqlStatement = {
  name: 'search_quarantine_later',
  text: `
INSERT INTO job (job_id, kind, program_id, request, reason, state, created_at, created_by, needs_role, cursor,
  started_at, started_by, start_reason)
VALUES ($1, 'erase', $2, $3::jsonb, $4, 'waiting', $5::timestamptz, 'loyaltyd', 'admin', $6::jsonb, $5::timestamptz, 'loyaltyd', $4)
ON CONFLICT (job_id) DO NOTHING`,
};

const reason = 'an event has them erased: what is set aside of them, too';

interface Search {
  readonly program: string;
  readonly member: ErasedMember;
  /** What is erased with it: another erasure of the same member is another job. */
  readonly erasedSeq: number;
  readonly trace: ErasureTrace;
  readonly addressMacs: readonly string[];
  readonly now: number;
}

/** Whose records are looked for, as nobody reads it without our keys: the member has no name any more. */
export interface SealedCursor {
  /** Base64. */
  readonly sealed: string;
}

type SearchKeys = Pick<IngestKeys, 'mac' | 'quarantine' | 'random'>;

const contextOf = (jobId: string): ReturnType<typeof sealContext> => sealContext(['job.cursor', jobId]);

export function sealSearch(jobId: string, cursor: QuarantineCursor, keys: SearchKeys): SealedCursor {
  const { quarantine: key, random } = keys;
  const sealed = seal({ key, plain: JSON.stringify(cursor), context: contextOf(jobId) }, random);
  return { sealed: sealed.toString('base64') };
}

/** @throws {SealBrokenError} */
export function openSearch(jobId: string, { sealed }: SealedCursor, { quarantine: key }: SearchKeys): QuarantineCursor {
  const text = unseal({ key, sealed: Buffer.from(sealed, 'base64'), context: contextOf(jobId) });
  return JSON.parse(text.toString('utf8')) as QuarantineCursor;
}

/** Has the quarantine searched for whom an event has erased, by the job that does so where a person asks for it. */
export async function searchLater(
  session: SqlSession,
  { program, member, erasedSeq, trace, addressMacs, now }: Search,
  keys: SearchKeys,
): Promise<void> {
  const { laneId, memberId } = member;
  const jobId = `erased-${laneId}-${erasedSeq}`;
  const cursor = { trace, members: [member] as const, memberIds: [memberId], addressMacs, after: 0 };
  const sealed = JSON.stringify(sealSearch(jobId, cursor, keys));
  const request = JSON.stringify({ kind: 'erase', program, memberId: erasedName(keys.mac, memberId) });
  await session.query(searchStatement, [jobId, program, request, reason, timestamp(now), sealed]);
}
