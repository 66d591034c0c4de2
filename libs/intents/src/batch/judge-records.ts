import type { IdentityVerdict, KnownIdentity } from '#domain';
import { judgeIdentities } from '#domain';
import type { SqlSession } from '#platform';

import type { RecordIdentity } from './batch-identity.js';
import { claimedIdentity } from './batch-identity.js';
import type { PreparedRecord } from './batch-to-record.js';
import { findStanding } from './find-standing.js';

export interface IdentifiedRecord {
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity | null;
}

/** A record with what its identity makes of it. */
export type JudgedRecord =
  | { readonly record: PreparedRecord; readonly identity: null }
  | {
      readonly record: PreparedRecord;
      readonly identity: RecordIdentity;
      readonly verdict: IdentityVerdict;
      /** Of a changed enrolment: nothing of the first one can have taken effect, so that it is corrected. */
      readonly isCorrectable: boolean;
    };

/** Judges records in order, against what is known and against each other. */
export function judgeRecords(
  records: readonly IdentifiedRecord[],
  known: ReadonlyMap<string, KnownIdentity>,
): JudgedRecord[] {
  const claimed = records.flatMap(({ identity }) => (identity === null ? [] : [claimedIdentity(identity)]));
  const verdicts = judgeIdentities(claimed, known).values();
  return records.map(({ record, identity }) => {
    if (identity === null) return { record, identity };
    const verdict = verdicts.next().value ?? { kind: 'duplicate-event' };
    return { record, identity, verdict, isCorrectable: false };
  });
}

export function isChangedEnrolment(judged: JudgedRecord): boolean {
  return judged.identity !== null && judged.verdict.kind === 'enrolment-changed';
}

/**
 * Finds out how the first enrolments stand that are told again with other content (contracts.md section 1): while
 * nothing of one can have taken effect it is corrected, afterwards the other content is an update. The lanes are locked.
 */
export async function withStandings(session: SqlSession, records: readonly JudgedRecord[]): Promise<JudgedRecord[]> {
  const judged: JudgedRecord[] = [];
  for (const item of records) {
    if (item.identity === null || item.verdict.kind !== 'enrolment-changed') {
      judged.push(item);
      continue;
    }
    const { of } = item.verdict;
    judged.push({ ...item, isCorrectable: of !== null && (await findStanding(session, of)).isUntouched });
  }
  return judged;
}
