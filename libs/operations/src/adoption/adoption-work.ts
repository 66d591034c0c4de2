import type { Job, JobTurn } from '#intents';

import type { JobWork } from '../jobs/job-kind.js';
import type { PartnerReaderTools, ReadingCursor } from '../partner-reading/partner-reader.js';
import { PartnerReader } from '../partner-reading/partner-reader.js';
import { Tally } from '../partner-reading/tally.js';
import { noTroubles } from '../partner-reading/troubles.js';
import { adoptListed } from './adopt-listed.js';

/** A new job stands at the first page. */
function cursorOf({ cursor }: Job): ReadingCursor {
  return (cursor as ReadingCursor | null) ?? { page: null, troubles: noTroubles };
}

/**
 * Streams a program's listing and records the passes of members as ours, a page per turn, without a lookup per member
 * (contracts.md section 4, adopt). What is known already stays as it is, so that a turn may be made again.
 */
export function adoptionWork(tools: PartnerReaderTools): JobWork {
  const reader = new PartnerReader(tools);

  const end = async (job: Job, cursor: ReadingCursor): Promise<JobTurn> => {
    await reader.guests.leave(job, reader.programOf(job).name);
    return { cursor, progress: job.progress, isDone: true, report: reportOf(job, tools.clock.now()) };
  };

  const turn = async (job: Job): Promise<JobTurn> => {
    const cursor = cursorOf(job);
    const next = await reader.nextPage(job, cursor);
    if (next.kind === 'come-back') return next.turn;
    if (next.kind === 'end') return end(job, cursor);
    const { turned } = next;
    const tally = new Tally(job.progress);
    const listed = await reader.ownPasses(job, turned, tally);
    const adoption = await adoptListed(tools, { job, program: reader.programOf(job).name, turned, listed, tally });
    return { cursor: { page: turned.nextPage, troubles: noTroubles }, isDone: false, ...adoption };
  };

  return { kind: 'adoption', turn };
}

/** What came of it. `agrees`: as many rows were seen as the partner counted last. */
function reportOf({ progress, createdAt }: Job, now: number): object {
  const { rows = 0, totalCount = null } = progress as Readonly<Record<string, number | undefined>>;
  const seconds = Math.round((now - createdAt) / 1_000);
  return { ...progress, agrees: totalCount === null ? null : rows === totalCount, seconds };
}
