import type { Program } from '#contracts';
import type { PassReference } from '#intents/core';
import type { CallFailure, CallOptions, LookupReport } from '#gateway';
import type { ReissueResult } from '#intents';
import { loadCommands, reissuePass } from '#intents';
import type { SqlSession } from '#platform';

import { addSentItems } from '../../job-items.js';
import { JobFailedError } from '../../job-runner.js';
import type { Job, JobFindings, JobTurn } from '../../job-repository.js';
import { backOff, isPassing, noTroubles } from '../../../partner-reading/partner-backoff.js';
import type { PartnerReader, PartnerReaderOptions } from '../../../partner-reading/partner-reader.js';
import { readingTurnMs } from '../../../partner-reading/reading-admission.js';
import { Tally } from '../../../partner-reading/tally.js';
import type { ReconciliationCursor } from './reconciliation-cursor.js';
import { wantsRepair } from './reconciliation-cursor.js';
import type { UnseenMember } from './reconciliation-store.js';
import { listUnseen } from './reconciliation-store.js';

/** Single lookups of one job, per second, where nothing allows less. */
const lookupsPerSecondMax = 5;
const lookupTimeoutMs = 10_000;

/** What looking a member's pass up has shown. */
type Confirmation =
  /** The pass exists after all. */
  | { readonly kind: 'listed-late' }
  /** A lookup says that there is none. `evidence`: that, and a count of none, where a repair needs both; personal. */
  | { readonly kind: 'missing'; readonly evidence: string | null }
  /** The partner gave an answer that proves nothing. */
  | { readonly kind: 'unconfirmed'; readonly code: string }
  | { readonly kind: 'trouble'; readonly failure: CallFailure };

interface MissingPass {
  readonly program: Program;
  readonly member: UnseenMember;
  /** Whether absence is to be proved twice (design.md section 6). */
  readonly isForRepair: boolean;
}

/** Asks the partner for a pass that the listing did not show. */
async function confirmMissing(tools: PartnerReaderOptions, missing: MissingPass): Promise<Confirmation> {
  const enrolment = await enrolmentOf(tools, missing.member);
  const reference = referenceOf(missing);
  const by = otherLookup(missing.program, enrolment);
  const report = await tools.partner.findPass({ ...reference, ...by }, optionsOf(tools));
  if (report.kind === 'found') return { kind: 'listed-late' };
  if (report.kind === 'failed') return failed(report);
  if (report.isDead === true) return { kind: 'missing', evidence: JSON.stringify({ lookup: report.evidence }) };
  // What the enrolment was looked up by, an email, may have been changed since: absence by it alone proves nothing.
  if (!missing.isForRepair && by === null) return { kind: 'missing', evidence: null };
  return count(tools, reference, report);
}

/** Where the program's passes are not looked up by unique_id: as the member's enrolment says. */
function otherLookup({ lookup }: Program, enrolment: PassReference | null): Pick<Required<PassReference>, 'by'> | null {
  return lookup.by === 'unique_id' || enrolment?.by === undefined ? null : { by: enrolment.by };
}

function failed(failure: CallFailure): Confirmation {
  return isPassing(failure) ? { kind: 'trouble', failure } : { kind: 'unconfirmed', code: failure.code };
}

function optionsOf({ stopping }: PartnerReaderOptions): CallOptions {
  return { timeoutMs: lookupTimeoutMs, signal: stopping };
}

async function count(
  tools: PartnerReaderOptions,
  { brandId, programId, uniqueId }: PassReference,
  { evidence: lookup }: Extract<LookupReport, { kind: 'absent' }>,
): Promise<Confirmation> {
  const counted = await tools.partner.countPasses({ brandId, programId, uniqueId }, optionsOf(tools));
  if (counted.kind === 'failed') return failed(counted);
  const { totalCount: listed } = counted;
  if (listed > 0) return { kind: 'unconfirmed', code: 'counted' };
  return { kind: 'missing', evidence: JSON.stringify({ lookup, listed }) };
}

/** Where it would be issued anew: what is sent again is planned by the programs file of now. */
function referenceOf({ program, member: { memberId: uniqueId } }: MissingPass): PassReference {
  const { brandId, programId, uniqueIdKey } = program;
  return { brandId, programId, uniqueId, uniqueIdKey };
}

/** Which pass the member's enrolment was about; null where there is none, or no key opens it any more. */
async function enrolmentOf(
  { database, keys }: PartnerReaderOptions,
  { laneId, enrolmentSeq: seq }: UnseenMember,
): Promise<PassReference | null> {
  if (seq === null) return null;
  const [loaded] = await loadCommands(database, [{ laneId, seq }], keys);
  return loaded?.current.kind === 'command' ? loaded.current.command : null;
}

/** A lookup, and a count where absence must be proved twice. */
const callsOfRepair = 2;

interface MissingMember {
  readonly member: UnseenMember;
  /** Proof for a repair: personal. */
  readonly evidence: string | null;
}

/** What became of the members that a turn came to, and where it stopped. */
interface LookedUp {
  readonly missing: readonly MissingMember[];
  /** The last lane that is done with. */
  readonly lane: number;
  /** Null where all were looked at. */
  readonly stoppedBy: 'time' | CallFailure | null;
}

interface UnseenToLookUp {
  readonly job: Job;
  readonly members: readonly UnseenMember[];
  readonly callsPerSecond: number;
  /** Where the job stands, and where it stands when all are done with. */
  readonly from: number;
  readonly until: number;
  /** How many may be found missing, and issued anew, at once. */
  readonly missingMax: number;
  readonly tally: Tally;
}

/** Looks up, in lane order, as many as there is time for. What proves nothing, and passes that exist after all, are counted. */
async function lookUpUnseen(reader: PartnerReader, work: UnseenToLookUp): Promise<LookedUp> {
  const { job, members, tally } = work;
  const { clock } = reader.tools;
  const { program } = reader.programOf(job);
  const isForRepair = wantsRepair(job);
  const rate = isForRepair ? work.callsPerSecond / callsOfRepair : work.callsPerSecond;
  const endAt = clock.monotonic() + readingTurnMs;
  const missing: MissingMember[] = [];
  let lane = work.from;
  for (const member of members) {
    if (missing.length >= work.missingMax) return { missing, lane, stoppedBy: 'time' };
    if (!isPassedOver(member, tally)) {
      const isInTime = await reader.admission.awaitTurn(job, rate, endAt - clock.monotonic());
      if (!isInTime) return { missing, lane, stoppedBy: 'time' };
      const confirmed = await confirmMissing(reader.tools, { program, member, isForRepair });
      if (confirmed.kind === 'trouble') return { missing, lane, stoppedBy: confirmed.failure };
      if (confirmed.kind === 'missing') missing.push({ member, evidence: confirmed.evidence });
      else note(confirmed, member, tally);
    }
    lane = member.laneId;
  }
  return { missing, lane: work.until, stoppedBy: null };
}

/** Whose pass we know since a short while only, and who is erased, is not looked for. */
function isPassedOver({ isNew, isErased }: UnseenMember, tally: Tally): boolean {
  if (isErased) tally.add('left');
  else if (isNew) tally.add('newMeanwhile');
  return isErased || isNew;
}

function note(
  confirmed: Exclude<Confirmation, { kind: 'missing' | 'trouble' }>,
  { memberId }: UnseenMember,
  tally: Tally,
): void {
  if (confirmed.kind === 'listed-late') tally.add('listedLate');
  else tally.found('unconfirmed', 'unconfirmed', { memberId, code: confirmed.code });
}

/** So many passes that a lookup finds and the listing did not show: then it is the listing that is wrong. */
const listedLateMax = 20_000;

/** How soon one asks again whether what a canary has sent has come to its end. */
const canaryAgainMs = 1_000;

interface OursTurn {
  readonly job: Job;
  readonly cursor: ReconciliationCursor;
  /** How many may be issued anew now. */
  readonly canary: number;
}

/** Looks up some of the passes that we know and the listing did not show. */
export async function oursTurn(reader: PartnerReader, { job, cursor, canary }: OursTurn): Promise<JobTurn> {
  const { name, program } = reader.programOf(job);
  const { members, next } = await unseenOf(reader, job, cursor);
  const { progress } = job;
  if (next === null) return { cursor: { ...cursor, phase: 'clearing', lane: 0 }, progress, isDone: false };
  if (members.length === 0) return { cursor: { ...cursor, lane: next }, progress, isDone: false };
  if (canary < 1) return { cursor, progress, isDone: false, againAt: reader.tools.clock.now() + canaryAgainMs };
  const admission = await reader.admission.admit({ job, name, program, callsPerSecond: lookupsPerSecondMax });
  if (admission.kind === 'come-back') return { cursor, progress, isDone: false, againAt: admission.at };
  const tally = new Tally(progress);
  const { callsPerSecond } = admission;
  const missingMax = wantsRepair(job) ? canary : Infinity;
  const range = { from: cursor.lane, until: next, missingMax };
  const looked = await lookUpUnseen(reader, { job, members, callsPerSecond, ...range, tally });
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
  // What was asked for last we have given up ourselves, most likely: the partner has no problem.
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
async function settleMissing(session: SqlSession, tools: PartnerReaderOptions, work: Missing): Promise<JobFindings> {
  const { job, tally, missing } = work;
  const counted = new Tally(tally.progress);
  const places: { readonly laneId: number; readonly seq: number }[] = [];
  for (const { member, evidence } of missing) {
    const result = wantsRepair(job) ? await repairOne(session, tools, { job, member, evidence: evidence ?? '' }) : null;
    if (result?.kind === 'done') places.push({ laneId: member.laneId, seq: result.seq });
    const repair = result === null ? null : result.kind === 'done' ? 'issued-anew' : result.reason;
    counted.found('missingThere', 'missing-there', { memberId: member.memberId, repair });
  }
  counted.add('issuedAnew', places.length);
  await addSentItems(session, { jobId: job.jobId, places, now: tools.clock.now() });
  return { progress: counted.progress, lines: [...tally.lines, ...counted.lines] };
}

async function repairOne(
  session: SqlSession,
  { keys, clock }: PartnerReaderOptions,
  { job, member, evidence }: { readonly job: Job; readonly member: UnseenMember; readonly evidence: string },
): Promise<ReissueResult> {
  const { jobId, createdBy: actor, needsRole: role, reason } = job;
  const audit = { at: clock.now(), actor, role, address: null, reason };
  return reissuePass(session, { laneId: member.laneId, evidence, job: jobId, audit }, keys);
}
