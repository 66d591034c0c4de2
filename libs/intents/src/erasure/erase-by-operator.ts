import type { Database, SqlSession } from '#platform';

import { lockLanes } from '../batch/batch-lanes.js';
import { cancelQueued } from '../batch/cancel-queued.js';
import { holdRunningJob } from '../jobs/hold-running-job.js';
import type { MemberKeys } from '../keys/member-keys.js';
import type { OperatorWord } from '../operator/record-action.js';
import { destroyKey } from './destroy-key.js';
import { dropAwaited } from './drop-awaited.js';
import type { ErasureOfLane, ErasureTrace } from './erasure-trace.js';
import { findErasureTrace, leaveErasureTrace } from './erasure-trace.js';
import { findOpenOptOuts } from './find-open-opt-outs.js';
import { measureErasure } from './measure-erasure.js';

export interface OperatorErasure extends ErasureOfLane {
  /** When the job was made, epoch ms. */
  readonly since: number;
  readonly word: OperatorWord;
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

async function erase(session: SqlSession, request: OperatorErasure, keys: MemberKeys): Promise<ErasureStep> {
  const { jobId, laneId, since, word, isPatient } = request;
  if (!(await holdRunningJob(session, jobId))) return { kind: 'stopped' };
  await lockLanes(session, [laneId]);
  const known = await findErasureTrace(session, request);
  if (known !== null) return { kind: 'erased', trace: known };
  const said = { now: word.at, by: word.actor, reason: word.reason };
  const queue = { laneId, ...said, rest: 'park-as-erased', sparesOptOuts: isPatient } as const;
  const { underWay } = await cancelQueued(session, queue, keys);
  const optOuts = isPatient ? (await findOpenOptOuts(session, laneId)).length : 0;
  if (isPatient && underWay + optOuts > 0) return { kind: 'waiting', attempts: underWay, optOuts };
  const trace = { ...(await measureErasure(session, { laneId, since, word })), leftUnderWay: underWay };
  await destroyKey(session, laneId);
  await dropAwaited(session, laneId);
  await leaveErasureTrace(session, request, { word, trace });
  return { kind: 'erased', trace };
}

/**
 * The erasure of contracts.md section 7 on a person's word, as far as it can go just now; to be asked again while it
 * waits. Cancels what is queued, then destroys the member's key, with its trace, in one transaction. What comes later is
 * of a new generation, under another key. Asked again after a lost answer it does nothing twice.
 */
export async function eraseByOperator(
  database: Database,
  request: OperatorErasure,
  keys: MemberKeys,
): Promise<ErasureStep> {
  const step = await database.transaction('erase_by_operator', (session) => erase(session, request, keys));
  if (step.kind === 'erased') keys.forget(request.laneId);
  return step;
}
