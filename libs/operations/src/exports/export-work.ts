import type { ExportLook, MemberKeys } from '#intents';
import { exportStart, freezeExport, readExport } from '#intents';
import type { Clock, Database } from '#platform';

import type { JobWork } from '../jobs/job-runner.js';
import type { Job, JobTurn } from '../jobs/job-store.js';
import { isoTime } from '../requests/iso-time.js';
import { digestWith } from './export-digest.js';
import { textOf, toExportLine } from './export-line.js';
import type { ExportState } from './export-state.js';
import { beginning, requestOf, stateOf, wishOf } from './export-state.js';

/** How long a turn goes on reading, how many lines it reads at once, and how soon one asks whether the extent is fixed. */
const turnMsMax = 500;
const lookLinesMax = 250;
const freezeAgainMs = 200;

export interface ExportWorkTools {
  readonly database: Database;
  readonly clock: Clock;
  readonly keys: MemberKeys;
}

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

function added({ intents, events, erased }: Count, { facts }: ExportLook): Count {
  const more = facts.filter(({ kind }) => kind === 'intent').length;
  return {
    intents: intents + more,
    events: events + facts.length - more,
    erased: erased + facts.filter(({ isErased }) => isErased).length,
  };
}

async function freeze(job: Job, { database, clock }: ExportWorkTools): Promise<JobTurn> {
  const state = stateOf(job);
  const bound = state.kind === 'freezing' ? state.bound : null;
  const frozen = await freezeExport(database, wishOf(job), bound);
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
async function readOn(job: Job, state: Counting, { database, clock, keys }: ExportWorkTools): Promise<JobTurn> {
  const isMasked = !requestOf(job).includePersonal;
  const endsAt = clock.monotonic() + turnMsMax;
  let { after, digest } = state;
  let count = countOf(job);
  while (after !== null && clock.monotonic() < endsAt) {
    const beganAt = clock.monotonic();
    const look = await readExport(database, { extent: state.extent, after, limit: lookLinesMax }, keys);
    for (const fact of look.facts) digest = digestWith(digest, textOf(toExportLine(fact, isMasked)));
    count = added(count, look);
    after = look.next;
    if (after !== null) await clock.sleep(clock.monotonic() - beganAt);
  }
  const cursor: Counting = { ...state, after, digest };
  const turn = { cursor, progress: { ...count } };
  return after === null ? { ...turn, report: reportOf(cursor, count), isDone: true } : { ...turn, isDone: false };
}

/** Fixes what an export holds, then counts its lines and makes their digest: whoever reads them knows when all are there. */
export function exportWork(tools: ExportWorkTools): JobWork {
  return {
    kind: 'export',
    turn: async (job) => {
      const state = stateOf(job);
      return state.kind === 'counting' ? readOn(job, state, tools) : freeze(job, tools);
    },
  };
}
