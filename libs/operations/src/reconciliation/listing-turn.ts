import type { Job, JobFindings, JobTurn, SeenMember } from '#intents';
import { adoptPasses, noteSeen, openReconciliation } from '#intents';
import type { SqlSession } from '#platform';

import type { PartnerReader } from '../partner-reading/partner-reader.js';
import { Tally } from '../partner-reading/tally.js';
import { noTroubles } from '../partner-reading/troubles.js';
import { comparePage } from './compare-page.js';
import type { MatchedPage, ShownMember } from './match-page.js';
import { lineOf, matchPage, toAdopt } from './match-page.js';
import type { ReconciliationCursor } from './reconciliation-cursor.js';
import { wantsRepair } from './reconciliation-cursor.js';

/** Holds the next page of the listing against ours. */
export async function listingTurn(reader: PartnerReader, job: Job, cursor: ReconciliationCursor): Promise<JobTurn> {
  const { tools } = reader;
  const { name, program } = reader.programOf(job);
  const reconciliationId = cursor.reconciliationId ?? (await begin(reader, job));
  const begun = { ...cursor, reconciliationId };
  const next = await reader.nextPage(job, begun);
  if (next.kind === 'come-back') return next.turn;
  if (next.kind === 'end') return { cursor: { ...begun, phase: 'ours' }, progress: job.progress, isDone: false };
  const { turned, askedAt } = next;
  const tally = new Tally(job.progress);
  const listed = await reader.ownPasses(job, turned, tally);
  const matched = await matchPage(tools, { job, program: name, listed, tally });
  await comparePage(tools, { program, known: matched.known, askedAt, tally });
  const place = { job, program: name, reconciliationId, page: turned.page.pageNumber, matched, tally };
  return {
    cursor: { ...begun, page: turned.nextPage, troubles: noTroubles },
    progress: tally.progress,
    isDone: false,
    findings: (session) => settlePage(session, reader, place),
  };
}

async function begin({ tools }: PartnerReader, { jobId }: Job): Promise<number> {
  return tools.database.transaction('open_reconciliation', (session) => openReconciliation(session, jobId));
}

interface PlacedPage {
  readonly job: Job;
  readonly program: string;
  readonly reconciliationId: number;
  readonly page: number;
  readonly matched: MatchedPage;
  readonly tally: Tally;
}

/** Remembers whom the page shows, and takes over passes where that is asked for. The transaction may be repeated. */
async function settlePage(session: SqlSession, reader: PartnerReader, page: PlacedPage): Promise<JobFindings> {
  const { reconciliationId, matched, tally } = page;
  const counted = new Tally(tally.progress);
  const before = await noteSeen(session, { reconciliationId, members: matched.seen });
  countRepeated(matched, { before, counted });
  const adopted = wantsRepair(page.job) ? await adoptMissing(session, reader, page) : new Set<number>();
  counted.add('adopted', adopted.size);
  for (const shown of matched.missingHere) {
    const { laneId, enrolment } = shown.member;
    const repair = adopted.has(laneId) ? 'adopted' : null;
    counted.found('missingHere', 'missing-here', { ...lineOfShown(shown), enrolment, repair });
  }
  return { progress: counted.progress, lines: [...tally.lines, ...counted.lines] };
}

/** A pass that is listed once more because the pages have shifted, and another pass of the same member. */
function countRepeated(
  { seen, known, missingHere }: MatchedPage,
  { before, counted }: { readonly before: readonly SeenMember[]; readonly counted: Tally },
): void {
  const markNow = new Map(seen.map(({ laneId, mark }) => [laneId, mark]));
  const shownOf = new Map([...known, ...missingHere].map((shown) => [shown.member.laneId, shown]));
  for (const { laneId, mark } of before) {
    const shown = shownOf.get(laneId);
    if (mark === markNow.get(laneId)) counted.add('listedAgain');
    else if (shown !== undefined) counted.found('duplicateThere', 'duplicate-there', lineOfShown(shown));
  }
}

function lineOfShown({ member, pass }: ShownMember): Readonly<Record<string, unknown>> {
  return lineOf(member.memberId, pass);
}

async function adoptMissing(session: SqlSession, { tools }: PartnerReader, place: PlacedPage): Promise<Set<number>> {
  const { job, program, page, matched } = place;
  const passes = matched.missingHere.map(toAdopt);
  return adoptPasses(session, { program, passes, job: job.jobId, page, now: tools.clock.now() }, tools.keys);
}
