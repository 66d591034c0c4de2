import { Injectable } from '@nestjs/common';

import type { TopicNames } from '#contracts';
import type { AuditContext, ErasedMember, ErasureStep, ErasureTrace, QuarantineCursor, SealedCursor } from '#intents';
import { erasedTogetherMax, ErasureRepository } from '#intents';
import type { SqlSession } from '#platform';
import { Clock } from '#platform';

import { PublishedTopics } from '../../../contracts/contracts.controller.js';
import { JobFailedError, JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';

/** What the search of the quarantine came to. */
interface QuarantineCounts {
  readonly quarantineLooked: number;
  readonly quarantineErased: number;
  /** Of these: of a source's own shape. */
  readonly quarantineMapped: number;
  readonly alreadyPublished: number;
}

interface OutOfReach {
  readonly what: string;
  readonly why: string;
}

function topicsOutOfReach(topics: TopicNames | null, { alreadyPublished }: QuarantineCounts): OutOfReach[] {
  if (topics === null) {
    return [{ what: 'Kafka topics', why: 'Records stay until the retention of their topic ends.' }];
  }
  const { members, purchases, rewards, outcomes, deadLetter } = topics;
  const why = 'Records stay until the retention of the topic ends; ask whoever runs Kafka.';
  const letters = `${why} It has been given ${alreadyPublished} records about the member that were set aside.`;
  return [
    ...[members, purchases, rewards].map((what) => ({ what: `topic ${what}`, why })),
    ...(outcomes === null
      ? []
      : [{ what: `topic ${outcomes}`, why: `${why} It may hold download links of the pass.` }]),
    ...(deadLetter === null ? [] : [{ what: `topic ${deadLetter}`, why: letters }]),
  ];
}

const elsewhere: readonly OutOfReach[] = [
  { what: 'partner', why: 'It has no call that deletes a person or a pass: ask it in writing.' },
  {
    what: 'backups',
    why: 'Backups, WAL archives and replicas of before hold the key: keep them no longer than needed.',
  },
  { what: 'exports', why: 'Files that were made with personal values: delete them where they lie.' },
  {
    what: 'quarantine',
    why: 'Records that do not tell whom they are about, and those set aside while this ran, stay as they are, sealed.',
  },
  { what: 'logs', why: 'They hold no personal values; a member is 12 digits of a keyed hash.' },
];

/** What an erasure did, step by step, what it left on purpose, and what it cannot reach. */
function erasureReport(trace: ErasureTrace, counts: QuarantineCounts, topics: TopicNames | null): object {
  const { alreadyErased, intents, cancelled, parkedAsErased, leftUnderWay, optOutsUntold } = trace;
  const { quarantineLooked: looked, quarantineErased: erased, quarantineMapped: ofSources, alreadyPublished } = counts;
  return {
    alreadyErased,
    steps: [
      { step: 'queue', cancelled, parkedAsErased, leftUnderWay, optOutsUntold },
      { step: 'key', intents },
      { step: 'quarantine', looked, erased, ofSources, alreadyPublished },
    ],
    kept: [
      'ids of purchases, stores and passes, amounts and times: the history of what was sent',
      'a keyed digest of the member id, for RETENTION_ERASED_DAYS: what comes of the member is refused',
      'ids of the events that were seen: what comes again is known, what it said is not',
      'who asked for this erasure, when and why; not by which id',
    ],
    outOfReach: [...elsewhere, ...topicsOutOfReach(topics, counts)],
  };
}

/** How long calls under way and opt-outs are waited for; then the person is erased all the same. */
const erasurePatienceMs = 7 * 86_400_000;
/** One asks again after a tenth of what has been waited already, within these bounds. */
const againMsMin = 1_000;
const againMsMax = 60_000;
const againShare = 0.1;

/** Known before the first of them is erased: then nobody can tell any more who was merged with whom. */
interface FamilyCursor {
  readonly family: readonly ErasedMember[];
  /** By which their addresses are known, as long as the job runs: nobody can tell them once their keys are gone. */
  readonly addressMacs: readonly string[];
}

type Member = { readonly program: string; readonly memberId: string };

/** Jobs are written by us only, so the shape is ours. */
function memberOf({ program, request }: Job): Member {
  return { program: program ?? '', memberId: String(request['memberId']) };
}

function againAt({ createdAt }: Job, now: number): number {
  return now + Math.min(againMsMax, Math.max(againMsMin, (now - createdAt) * againShare));
}

type Unfinished = Exclude<ErasureStep, { readonly kind: 'erased' }>;

function turnAfter(job: Job, step: Unfinished, now: number): JobTurn {
  switch (step.kind) {
    case 'stopped':
      return { cursor: job.cursor, progress: job.progress, isDone: false };
    case 'waiting': {
      const progress = { waitingForAttempt: step.attempts, waitingForOptOut: step.optOuts };
      return { cursor: job.cursor, progress, isDone: false, againAt: againAt(job, now) };
    }
  }
}

const sumOf = (one: ErasureTrace, other: ErasureTrace): ErasureTrace => ({
  alreadyErased: one.alreadyErased && other.alreadyErased,
  intents: one.intents + other.intents,
  cancelled: one.cancelled + other.cancelled,
  parkedAsErased: one.parkedAsErased + other.parkedAsErased,
  leftUnderWay: one.leftUnderWay + other.leftUnderWay,
  optOutsUntold: one.optOutsUntold + other.optOutsUntold,
});

/** Never before the job was made, whatever the clock of the process that made it. */
function auditContextOf(job: Job, clock: Clock): AuditContext {
  const { createdAt, createdBy: actor, needsRole: role, reason } = job;
  return { at: Math.max(clock.now(), createdAt), actor, role, address: null, reason };
}

/** Nothing is erased in the same turn: what it is found by must be kept before. */
async function begin(job: Job, tools: ErasureWork): Promise<JobTurn> {
  const family = await tools.erasures.familyOf(memberOf(job));
  if (family.length > erasedTogetherMax) {
    throw new JobFailedError(`more than ${erasedTogetherMax} members are merged with this one`);
  }
  const addressMacs = await tools.erasures.addressMacsOf(family.map(({ laneId }) => laneId));
  return { cursor: { family, addressMacs } satisfies FamilyCursor, progress: job.progress, isDone: false };
}

async function eraseLanes(job: Job, cursor: FamilyCursor, { erasures, clock }: ErasureWork): Promise<JobTurn> {
  const { family } = cursor;
  const { jobId, createdAt: since } = job;
  const audit = auditContextOf(job, clock);
  const isPatient = audit.at - since < erasurePatienceMs;
  // What came while calls were waited for counts, too; of who is erased already nothing more can be told.
  const laneIds = family.map(({ laneId }) => laneId);
  const addressMacs = [...new Set([...cursor.addressMacs, ...(await erasures.addressMacsOf(laneIds))])];
  const traces: ErasureTrace[] = [];
  for (const member of family) {
    const step = await erasures.eraseMember({ jobId, ...member, since, audit, isPatient });
    if (step.kind !== 'erased') return turnAfter({ ...job, cursor: { family, addressMacs } }, step, audit.at);
    traces.push(step.trace);
  }
  const [first, ...others] = family;
  if (first === undefined) throw new JobFailedError('there is no such member');
  const trace = traces.reduce(sumOf);
  const { intents, cancelled } = trace;
  const memberIds = family.map(({ memberId }) => memberId);
  const progress = { waitingForAttempt: 0, waitingForOptOut: 0, intents, cancelled };
  return {
    cursor: { trace, members: [first, ...others], memberIds, addressMacs, after: 0 } satisfies QuarantineCursor,
    progress,
    isDone: false,
  };
}

async function searchQuarantine(job: Job, cursor: QuarantineCursor, tools: ErasureWork): Promise<JobTurn> {
  const { erasures, clock, topics } = tools;
  const { trace, memberIds, addressMacs, after } = cursor;
  const [{ memberId, laneId }, next, ...others] = cursor.members;
  const search = { member: { ...memberOf(job), memberId }, laneId, addressMacs, after };
  const look = await erasures.scanQuarantine(search);
  const { quarantineLooked = 0, quarantineErased = 0, quarantineMapped = 0, alreadyPublished = 0 } = job.progress;
  const progress = {
    ...job.progress,
    quarantineLooked: quarantineLooked + look.scanned,
    quarantineErased: quarantineErased + look.found.length,
    quarantineMapped: quarantineMapped + look.mapped,
    alreadyPublished: alreadyPublished + look.published,
  };
  const alongside = (session: SqlSession): Promise<void> =>
    erasures.eraseQuarantined(session, { ids: look.found, audit: auditContextOf(job, clock) });
  const turn = { progress, alongside };
  if (look.next !== null) return { ...turn, cursor: { ...cursor, after: look.next }, isDone: false };
  if (next !== undefined) {
    return { ...turn, cursor: { ...cursor, members: [next, ...others], after: 0 }, isDone: false };
  }
  const { program } = memberOf(job);
  return {
    ...{ progress, cursor: {}, report: erasureReport(trace, progress, topics.names), isDone: true },
    alongside: async (session) => {
      await alongside(session);
      await erasures.forgetInJobs(session, { program, memberIds });
    },
  };
}

/** Erases one person, under each id that was merged: what is queued and the keys first, then what the quarantine holds. */
@Injectable()
export class ErasureWork extends JobWork {
  override readonly kind = 'erase';

  constructor(
    readonly erasures: ErasureRepository,
    readonly clock: Clock,
    readonly topics: PublishedTopics,
  ) {
    super();
  }

  async turn(job: Job): Promise<JobTurn> {
    const cursor = job.cursor as FamilyCursor | QuarantineCursor | SealedCursor | null;
    if (cursor === null) return begin(job, this);
    if ('sealed' in cursor) return this.searchSealed(job, cursor);
    return 'family' in cursor ? eraseLanes(job, cursor, this) : searchQuarantine(job, cursor, this);
  }

  /** An event has erased the member: the quarantine alone is left to be looked through. */
  private async searchSealed(job: Job, sealed: SealedCursor): Promise<JobTurn> {
    const { erasures } = this;
    const turn = await searchQuarantine(job, erasures.openSearch(job.jobId, sealed), this);
    return turn.isDone ? turn : { ...turn, cursor: erasures.sealSearch(job.jobId, turn.cursor as QuarantineCursor) };
  }
}
