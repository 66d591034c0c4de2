import { Injectable } from '@nestjs/common';

import { Clock } from '#platform';

import { JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { isoTime } from '../../../requests/read-request.js';
import { digestWith, emptyDigest, textOf, toExportLine } from './export-lines.js';
import type { ExportExtent, ExportChunk, ExportPosition, ExportSelection, FrozenExport } from './export-repository.js';
import { ExportRepository, exportStart } from './export-repository.js';

/** What was asked for, as the job keeps it. */
interface ExportRequest {
  /** Of one member alone. */
  readonly laneId?: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly includePersonal: boolean;
}

/** The state of an export job: first its extent is fixed, then its lines are read. */
type ExportState =
  | { readonly kind: 'freezing'; readonly bound: Extract<FrozenExport, { readonly kind: 'open' }>['bound'] }
  | {
      readonly kind: 'counting';
      readonly extent: ExportExtent;
      /** Null: all was read. */
      readonly after: ExportPosition | null;
      readonly digest: string;
    };

/** Jobs are written by us only, so the shapes are ours. */
export function requestOf({ request }: Job): ExportRequest {
  return request as unknown as ExportRequest;
}

export function stateOf({ cursor }: Job): ExportState {
  return cursor === null ? { kind: 'freezing', bound: null } : (cursor as ExportState);
}

function selectionOf(job: Job): ExportSelection {
  const { from, to, laneId } = requestOf(job);
  return {
    program: job.program,
    ...(laneId !== undefined && { laneId }),
    from: from === null ? null : Date.parse(from),
    to: to === null ? null : Date.parse(to),
  };
}

function beginning(extent: ExportExtent, after: ExportPosition): ExportState {
  return { kind: 'counting', extent, after, digest: emptyDigest };
}

/** How long a turn reads, how many lines at once, and how soon the extent is asked for again. */
const turnMsMax = 500;
const chunkLinesMax = 250;
const freezeAgainMs = 200;

type Counting = Extract<ExportState, { readonly kind: 'counting' }>;

interface Count {
  readonly intents: number;
  readonly events: number;
  readonly erased: number;
}

function countOf({ progress }: Job): Count {
  const { intents = 0, events = 0, erased = 0 } = progress;
  return { intents, events, erased };
}

function added({ intents, events, erased }: Count, { facts }: ExportChunk): Count {
  const more = facts.filter(({ kind }) => kind === 'intent').length;
  return {
    intents: intents + more,
    events: events + facts.length - more,
    erased: erased + facts.filter(({ isErased }) => isErased).length,
  };
}

async function freeze(job: Job, { exports, clock }: ExportWork): Promise<JobTurn> {
  const state = stateOf(job);
  const bound = state.kind === 'freezing' ? state.bound : null;
  const frozen = await exports.freeze(selectionOf(job), bound);
  if (frozen.kind === 'frozen') {
    const cursor = beginning(frozen.extent, exportStart(frozen.extent));
    return { cursor, progress: { ...countOf(job) }, isDone: false };
  }
  const cursor: ExportState = { kind: 'freezing', bound: frozen.bound };
  return { cursor, progress: {}, isDone: false, againAt: clock.now() + freezeAgainMs };
}

function reportOf({ extent, digest }: Counting, { intents, events, erased }: Count): object {
  const { program, from, before, upTo } = extent;
  return {
    lines: intents + events,
    ...{ intents, events, erased },
    digest,
    extent: { program, from: isoTime(from), before: isoTime(before), upToPosition: upTo },
  };
}

/** Rests as long as it has worked: traffic shares the process. */
async function readOn(job: Job, state: Counting, { exports, clock }: ExportWork): Promise<JobTurn> {
  const isMasked = !requestOf(job).includePersonal;
  const endsAt = clock.monotonic() + turnMsMax;
  let { after, digest } = state;
  let count = countOf(job);
  while (after !== null && clock.monotonic() < endsAt) {
    const beganAt = clock.monotonic();
    const look = await exports.read({ extent: state.extent, after, limit: chunkLinesMax });
    for (const fact of look.facts) digest = digestWith(digest, textOf(toExportLine(fact, isMasked)));
    count = added(count, look);
    after = look.next;
    if (after !== null) await clock.sleep(clock.monotonic() - beganAt);
  }
  const cursor: Counting = { ...state, after, digest };
  const turn = { cursor, progress: { ...count } };
  return after === null ? { ...turn, report: reportOf(cursor, count), isDone: true } : { ...turn, isDone: false };
}

/**
 * Fixes the extent of an export, then counts its lines and computes their digest: a reader knows when it has all of
 * them.
 */
@Injectable()
export class ExportWork extends JobWork {
  override readonly kind = 'export';

  constructor(
    readonly exports: ExportRepository,
    readonly clock: Clock,
  ) {
    super();
  }

  async turn(job: Job): Promise<JobTurn> {
    const state = stateOf(job);
    return state.kind === 'counting' ? readOn(job, state, this) : freeze(job, this);
  }
}
