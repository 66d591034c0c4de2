import type { Job, JobFindings, JobTurn, UnseenMember } from '#intents';
import { listUnseen, reissuePass } from '#intents';
import type { SqlSession } from '#platform';

import { JobFailedError } from '../jobs/job-kind.js';
import type { PartnerReader, PartnerReaderTools } from '../partner-reading/partner-reader.js';
import { lookupsPerSecondMax } from '../partner-reading/reading-limits.js';
import { Tally } from '../partner-reading/tally.js';
import { backOff, noTroubles } from '../partner-reading/troubles.js';
import type { LookedUp, MissingMember } from './look-up-unseen.js';
import { lookUpUnseen } from './look-up-unseen.js';
import type { ReconciliationCursor } from './reconciliation-cursor.js';
import { wantsRepair } from './reconciliation-cursor.js';

/** So many passes that a lookup finds and the listing did not show: then it is the listing that is wrong. */
const listedLateMax = 20_000;

/** Looks up some of the passes that we know and the listing did not show. */
export async function oursTurn(reader: PartnerReader, job: Job, cursor: ReconciliationCursor): Promise<JobTurn> {
  const { name, program } = reader.programOf(job);
  const { members, next } = await unseenOf(reader, job, cursor);
  const { progress } = job;
  if (next === null) return { cursor: { ...cursor, phase: 'clearing', lane: 0 }, progress, isDone: false };
  if (members.length === 0) return { cursor: { ...cursor, lane: next }, progress, isDone: false };
  const admission = await reader.guests.enter({ job, name, program, callsPerSecond: lookupsPerSecondMax });
  if (admission.kind === 'come-back') return { cursor, progress, isDone: false, againAt: admission.at };
  const tally = new Tally(progress);
  const { callsPerSecond } = admission;
  const looked = await lookUpUnseen(reader, { job, members, callsPerSecond, from: cursor.lane, until: next, tally });
  if (tally.of('listedLate') > listedLateMax) {
    throw new JobFailedError(`the listing did not show ${listedLateMax} passes that a lookup finds: it proves nothing`);
  }
  return {
    ...(await placeAfter(reader, { job, cursor, looked })),
    progress: tally.progress,
    isDone: false,
    findings: (session) => settleMissing(session, reader.tools, { job, tally, missing: looked.missing }),
  };
}

async function unseenOf(
  reader: PartnerReader,
  job: Job,
  { reconciliationId, lane }: ReconciliationCursor,
): ReturnType<typeof listUnseen> {
  const { name, program } = reader.programOf(job);
  if (reconciliationId === null) throw new JobFailedError('what the listing has shown was not kept');
  const since = job.createdAt - program.inFlightMs;
  return listUnseen(reader.tools.database, { reconciliationId, program: name, afterLane: lane, since });
}

interface Place {
  readonly job: Job;
  readonly cursor: ReconciliationCursor;
  readonly looked: LookedUp;
}

async function placeAfter(reader: PartnerReader, place: Place): Promise<Pick<JobTurn, 'cursor' | 'againAt'>> {
  const { job, looked } = place;
  const { lane, stoppedBy } = looked;
  const cursor = { ...place.cursor, lane };
  // What was asked for last we have given up ourselves, most likely: nobody is in trouble.
  if (reader.tools.stopping.aborted) return { cursor };
  if (stoppedBy === null || stoppedBy === 'time') return { cursor: { ...cursor, troubles: noTroubles } };
  const program = reader.programOf(job).name;
  const before = place.cursor.troubles;
  const { troubles, againAt } = await backOff(reader.tools, { job: job.jobId, program, failure: stoppedBy, before });
  return { cursor: { ...cursor, troubles }, againAt };
}

interface Missing {
  readonly job: Job;
  readonly tally: Tally;
  readonly missing: readonly MissingMember[];
}

/** Reports what is missing, and issues it anew where that is asked for. The transaction may be repeated. */
async function settleMissing(session: SqlSession, tools: PartnerReaderTools, work: Missing): Promise<JobFindings> {
  const { job, tally, missing } = work;
  const counted = new Tally(tally.progress);
  for (const { member, evidence } of missing) {
    const repair = wantsRepair(job) ? await repairOne(session, tools, { job, member, evidence: evidence ?? '' }) : null;
    if (repair === 'issued-anew') counted.add('issuedAnew');
    counted.found('missingThere', 'missing-there', { memberId: member.memberId, repair });
  }
  return { progress: counted.progress, lines: [...tally.lines, ...counted.lines] };
}

async function repairOne(
  session: SqlSession,
  { keys, clock }: PartnerReaderTools,
  { job, member, evidence }: { readonly job: Job; readonly member: UnseenMember; readonly evidence: string },
): Promise<string> {
  const { jobId, createdBy: actor, reason } = job;
  const word = { at: clock.now(), actor, address: null, reason };
  const result = await reissuePass(session, { laneId: member.laneId, evidence, job: jobId, word }, keys);
  return result.kind === 'done' ? 'issued-anew' : result.reason;
}
