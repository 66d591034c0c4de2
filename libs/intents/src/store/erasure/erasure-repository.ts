import { Injectable } from '@nestjs/common';

import type { SqlSession, SqlStatement } from '#platform';
import { Database } from '#platform';

import { cancelQueued } from '../batch/cancel-queued.js';
import { familyMax, withFamily } from '../batch/members.js';
import { IngestKeys } from '../batch/recording.js';
import { lockLanes } from '../lanes/lane-locks.js';
import { holdRunningJob } from '../operator/hold-running-job.js';
import type { AuditContext } from '../operator/operator-action.js';
import type { QuarantineErasure, QuarantineScan, QuarantineSearch } from './erase-quarantined.js';
import { eraseQuarantined, look } from './erase-quarantined.js';
import { recordAction } from '../operator/operator-action.js';
import { erasedName, SoughtNames } from './erased-names.js';
import { forgetInJobs } from './forget-in-jobs.js';
import { type ErasedMember, openSearch, type QuarantineCursor, type SealedCursor, sealSearch } from './search-later.js';
import { destroyKey, dropAwaited, findOpenOptOuts } from './erasure.js';
import { addressMacsOf, type ErasureTrace, measureErasure } from './erasure-facts.js';

const erasureAction = 'member.erase';

interface ErasureOfLane {
  readonly jobId: string;
  readonly laneId: number;
}

const findErasureTraceStatement: SqlStatement = {
  name: 'find_erasure_trace',
  text: `
SELECT detail FROM operator_action
WHERE lane_id = $1 AND seq = 0 AND action = '${erasureAction}' AND detail->>'job' = $2`,
};

/** What this erasure has done already; null before it was done. */
async function findErasureTrace(session: SqlSession, { jobId, laneId }: ErasureOfLane): Promise<ErasureTrace | null> {
  const { rows } = await session.query<{ detail: ErasureTrace & { job: string } }>(findErasureTraceStatement, [
    laneId,
    jobId,
  ]);
  if (rows[0] === undefined) return null;
  const { job: _job, ...trace } = rows[0].detail;
  return trace;
}

/** In the transaction that erases. */
async function leaveErasureTrace(
  session: SqlSession,
  { jobId, laneId }: ErasureOfLane,
  { audit, trace }: { readonly audit: AuditContext; readonly trace: ErasureTrace },
): Promise<void> {
  const detail = { job: jobId, ...trace };
  await recordAction(session, { audit, action: erasureAction, place: { laneId, seq: 0 }, detail });
}

export interface OperatorErasure extends ErasureOfLane {
  /** Whose lane it is: by a digest of it the member is known from then on. */
  readonly memberId: string;
  /** When the job was made, epoch ms. */
  readonly since: number;
  readonly audit: AuditContext;
  /** Calls under way, and what tells the partner that the member has left, are waited for. */
  readonly isPatient: boolean;
}

export type ErasureStep =
  /** Also where it was done before: the same trace comes again. */
  | { readonly kind: 'erased'; readonly trace: ErasureTrace }
  /** What could be cancelled is; the key stays until nothing is under way. */
  | { readonly kind: 'waiting'; readonly attempts: number; readonly optOuts: number }
  /** Somebody has stopped the job. */
  | { readonly kind: 'stopped' };

async function erase(
  session: SqlSession,
  request: OperatorErasure,
  { members: keys, mac }: IngestKeys,
): Promise<ErasureStep> {
  const { jobId, laneId, memberId, since, audit, isPatient } = request;
  if (!(await holdRunningJob(session, jobId))) return { kind: 'stopped' };
  await lockLanes(session, [laneId]);
  const known = await findErasureTrace(session, request);
  if (known !== null) return { kind: 'erased', trace: known };
  const said = { now: audit.at, by: audit.actor, reason: audit.reason };
  const queue = { laneId, ...said, rest: 'park-as-erased', sparesOptOuts: isPatient } as const;
  const { underWay } = await cancelQueued(session, queue, keys);
  const optOuts = isPatient ? (await findOpenOptOuts(session, laneId)).length : 0;
  if (isPatient && underWay + optOuts > 0) return { kind: 'waiting', attempts: underWay, optOuts };
  const trace = { ...(await measureErasure(session, { laneId, since, audit })), leftUnderWay: underWay };
  await destroyKey(session, { laneId, at: audit.at, now: audit.at, erasedName: erasedName(mac, memberId) });
  await dropAwaited(session, laneId);
  await leaveErasureTrace(session, request, { audit, trace });
  return { kind: 'erased', trace };
}

/** Members who are merged, erased by one job at most. */
export const erasedTogetherMax = familyMax;

const findFamilyStatement: SqlStatement = {
  name: 'find_family_to_erase',
  text: `${withFamily}
SELECT member_id AS "memberId", lane_id AS "laneId" FROM family ORDER BY member_id = ANY ($2::text[]), lane_id LIMIT ${erasedTogetherMax + 1}`,
};

/** Erases a person: what is queued and the key, then what the quarantine holds. */
@Injectable()
export class ErasureRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: IngestKeys,
  ) {}

  /**
   * The erasure of contracts.md section 7 on a person's word, as far as it can go just now; to be asked again while it
   * waits. Cancels what is queued, then destroys the member's key, with its trace, in one transaction. What comes later is
   * of a new generation, under another key. Asked again after a lost answer it does nothing twice.
   */
  async eraseMember(request: OperatorErasure): Promise<ErasureStep> {
    const step = await this.database.transaction('erase_by_operator', (session) => erase(session, request, this.keys));
    if (step.kind === 'erased') this.keys.members.forget(request.laneId);
    return step;
  }

  /**
   * What members' e-mail addresses are known by in records of a source's own shape: those that were to be told to the partner, as
   * long as their key is there. Base64.
   */
  async addressMacsOf(laneIds: readonly number[]): Promise<readonly string[]> {
    return addressMacsOf(this.database, laneIds, this.keys);
  }

  /** @throws {SealBrokenError} */
  openSearch(jobId: string, cursor: SealedCursor): QuarantineCursor {
    return openSearch(jobId, cursor, this.keys);
  }

  sealSearch(jobId: string, cursor: QuarantineCursor): SealedCursor {
    return sealSearch(jobId, cursor, this.keys);
  }

  /** A member and all who are merged with them, the others first; more than `erasedTogetherMax` are not all. */
  async familyOf({
    program,
    memberId,
  }: {
    readonly program: string;
    readonly memberId: string;
  }): Promise<ErasedMember[]> {
    const sought = new SoughtNames(this.keys.mac, [{ program, memberId }]);
    const { rows } = await this.database.execute<ErasedMember>(findFamilyStatement, [
      sought.programs,
      sought.memberIds,
    ]);
    return rows.map((row) => ({ ...row, memberId: sought.memberIdOf(row.memberId) }));
  }

  /** Looks through the next records of the quarantine for those about a member, as they arrived or as they were corrected. */
  async scanQuarantine(search: QuarantineSearch): Promise<QuarantineScan> {
    return this.database.transaction('look_through_quarantine', (session) => look(session, search, this.keys));
  }

  /** The last of an erasure: jobs that were asked for by these ids, this very one too, show the digests of them. */
  async forgetInJobs(
    session: SqlSession,
    members: { readonly program: string; readonly memberIds: readonly string[] },
  ): Promise<void> {
    await forgetInJobs(session, members, this.keys.mac);
  }

  /** Takes the bytes out of records that were set aside, and gives up those that are open. */
  async eraseQuarantined(session: SqlSession, erasure: QuarantineErasure): Promise<void> {
    await eraseQuarantined(session, erasure, { key: this.keys.quarantine, random: this.keys.random });
  }
}
