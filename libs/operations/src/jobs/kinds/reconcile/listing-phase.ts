import type { Program, WalletPass } from '#contracts';
import { differingPaths, expectedPass } from '#intents/core';
import type { AdoptedPasses, MatchedMember, PassFacts, PassToAdopt } from '#intents';
import { adoptPasses, ensureMembers, matchMembers } from '#intents';
import type { SqlSession } from '#platform';

import type { Job, JobFindings, JobTurn } from '../../job-repository.js';
import { findKnownPasses, findLeft } from '../../../partner-reading/known-passes.js';
import { isPartial } from '../../../partner-reading/listing-filter.js';
import { noTroubles } from '../../../partner-reading/partner-backoff.js';
import type { ListedPass, PartnerReader, PartnerReaderOptions } from '../../../partner-reading/partner-reader.js';
import { byMember, markOf } from '../../../partner-reading/partner-reader.js';
import { Tally } from '../../../partner-reading/tally.js';
import type { ReconciliationCursor } from './reconciliation-cursor.js';
import { wantsAdoption, wantsRepair } from './reconciliation-cursor.js';
import type { SeenMember } from './reconciliation-store.js';
import { noteSeen, openReconciliation } from './reconciliation-store.js';
import type { SentHistory } from './sent-contents.js';
import { loadSentContents } from './sent-contents.js';

interface ListedPage {
  readonly job: Job;
  readonly program: string;
  readonly listed: readonly ListedPass[];
  readonly tally: Tally;
}

/** A member of ours whose pass the page shows. */
interface ShownMember {
  readonly member: MatchedMember & { readonly key: Uint8Array };
  readonly pass: WalletPass;
}

/** What a page is about, beside what is counted already. */
interface MatchedPage {
  readonly seen: readonly SeenMember[];
  /** Their passes we know. */
  readonly known: readonly ShownMember[];
  /** Their passes we do not know, and nothing is under way that would tell. */
  readonly missingHere: readonly ShownMember[];
}

/** An enrolment that will tell of the pass, or is just finding out. */
const underWay: readonly string[] = ['waiting', 'pending', 'unknown'];

/** Our members of these ids; where they are to be taken over, those that we never saw are created, in a transaction of their own. */
async function membersOf(
  { database, keys: members, mac, clock }: PartnerReaderOptions,
  { job, program }: ListedPage,
  memberIds: readonly string[],
): Promise<Map<string, MatchedMember>> {
  if (!wantsAdoption(job)) return matchMembers(database, { program, memberIds }, { members, mac });
  return ensureMembers(database, { program, memberIds, now: clock.now() }, { members, mac });
}

/** Holds a page of the partner's passes against our members. */
async function matchPage(tools: PartnerReaderOptions, page: ListedPage): Promise<MatchedPage> {
  const { job, listed, tally } = page;
  const { first, further } = byMember(listed);
  const members = await membersOf(tools, page, [...first.keys()]);
  for (const { memberId, pass } of further) {
    // Of whom we never saw there is nothing to look at here.
    const stranger = members.has(memberId) ? {} : { isKnown: false };
    tally.found('duplicateThere', 'duplicate-there', { ...lineOf(memberId, pass), ...stranger });
  }
  const left = findLeft(members.values());
  tally.add('left', left.size);
  const shown: ShownMember[] = [];
  for (const [memberId, pass] of first) {
    const member = members.get(memberId);
    const key = member?.key ?? null;
    if (member === undefined) tally.found('unknownMember', 'unknown-member', lineOf(memberId, pass));
    else if (key !== null && !left.has(member.laneId)) shown.push({ member: { ...member, key }, pass });
  }
  const seen = [...members.values()].map(({ laneId, memberId }) => ({
    laneId,
    mark: markOf(first.get(memberId) ?? {}),
  }));
  return { seen, ...sortOut(job, shown, tally) };
}

/** Who is taken over need not wait for what an enrolment that is under way will tell. */
function sortOut(job: Job, shown: readonly ShownMember[], tally: Tally): Pick<MatchedPage, 'known' | 'missingHere'> {
  const known = shown.filter(({ member }) => member.pass === 'known');
  const others = shown.filter(({ member }) => member.pass !== 'known');
  const missingHere = others.filter(({ member }) => wantsAdoption(job) || !underWay.includes(member.enrolment));
  tally.add('matched', known.length);
  tally.add('underWay', others.length - missingHere.length);
  return { known, missingHere };
}

function lineOf(memberId: string, { passId }: WalletPass): Readonly<Record<string, unknown>> {
  return { memberId, passId: passId ?? null };
}

function toAdopt({ member: { laneId, key }, pass }: ShownMember): PassToAdopt {
  return { laneId, key, pass };
}

interface Comparison {
  readonly program: Program;
  readonly known: readonly ShownMember[];
  /** When the page was asked for, epoch ms. */
  readonly askedAt: number;
  readonly tally: Tally;
}

/**
 * Holds what the passes show against what was sent last. Only of members for whom nothing is under way and to whom
 * nothing has happened since `inFlightMs` before the page was asked for: the page may be older than what came after.
 */
async function comparePage({ database, keys }: PartnerReaderOptions, comparison: Comparison): Promise<void> {
  const { program, known, askedAt, tally } = comparison;
  const members = known.filter(({ member }) => member.isIdle).map(({ member }) => member);
  const histories = await loadSentContents(database, members, keys);
  const facts = await findKnownPasses(database, members, keys);
  for (const shown of known) {
    const { laneId, memberId } = shown.member;
    const history = histories.get(laneId) ?? null;
    if (!isQuiet(shown, history, askedAt - program.inFlightMs)) {
      tally.add('inFlux');
      continue;
    }
    const paths = pathsOf(shown, history, facts.get(laneId) ?? null);
    if (paths.length > 0) tally.found('differing', 'differing', { memberId, paths });
  }
}

/** A member of whom nothing was ever sent is calm. */
function isQuiet({ member }: ShownMember, history: SentHistory | null, until: number): boolean {
  return member.isIdle && (history === null || history.lastAt < until);
}

function pathsOf({ pass }: ShownMember, history: SentHistory | null, known: PassFacts | null): string[] {
  const paths = history === null ? [] : differingPaths(expectedPass(history.sent), pass);
  const serialNumber = known?.serialNumber ?? null;
  const isOther = serialNumber !== null && pass.serialNumber !== undefined && pass.serialNumber !== serialNumber;
  return isOther ? ['serialNumber', ...paths] : paths;
}

/** Holds the next page of the listing against ours. */
export async function listingTurn(reader: PartnerReader, job: Job, cursor: ReconciliationCursor): Promise<JobTurn> {
  const { tools } = reader;
  const { name, program } = reader.programOf(job);
  const reconciliationId = cursor.reconciliationId ?? (await begin(reader, job));
  const begun = { ...cursor, reconciliationId };
  const next = await reader.nextPage(job, begun);
  if (next.kind === 'come-back') return next.turn;
  if (next.kind === 'end') {
    // What a part of the listing does not show may stand in the rest of it.
    const phase = isPartial(job) ? 'clearing' : 'ours';
    return { cursor: { ...begun, phase }, progress: job.progress, isDone: false };
  }
  const { turned, askedAt } = next;
  const tally = new Tally(job.progress);
  const listed = alive(job, reader.ownPasses(job, turned, tally), tally);
  const matched = await matchPage(tools, { job, program: name, listed, tally });
  await comparePage(tools, { program, known: matched.known, askedAt, tally });
  const place = { job, program: name, at: program, reconciliationId, page: turned.page.pageNumber, matched, tally };
  return {
    cursor: { ...begun, page: turned.nextPage, troubles: noTroubles },
    progress: tally.progress,
    isDone: false,
    findings: (session) => settlePage(session, reader, place),
  };
}

/**
 * What is no card any more by its status is as if it were not listed: its member is looked up as whoever is not. A part of the
 * listing is no ground for that; there it is said of the pass itself.
 */
function alive(job: Job, listed: readonly ListedPass[], tally: Tally): readonly ListedPass[] {
  const living = listed.filter(({ pass }) => pass.isDead !== true);
  tally.add('dead', listed.length - living.length);
  if (!isPartial(job)) return living;
  for (const { memberId, pass } of listed) {
    if (pass.isDead === true) tally.found('differing', 'differing', { memberId, paths: ['statusCode'] });
  }
  return living;
}

async function begin({ tools }: PartnerReader, { jobId }: Job): Promise<number> {
  return tools.database.transaction('open_reconciliation', (session) => openReconciliation(session, jobId));
}

interface PlacedPage {
  readonly job: Job;
  readonly program: string;
  /** Where the partner has it. */
  readonly at: Program;
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
  const adopts = wantsAdoption(page.job);
  const { adopted, refused } =
    adopts || wantsRepair(page.job) ? await adoptMissing(session, reader, page) : noneAdopted;
  counted.add('adopted', adopted.size);
  for (const shown of matched.missingHere) {
    const { laneId, enrolment } = shown.member;
    // Of a whole club that is taken over lines would say nothing that a count does not.
    if (adopts && adopted.has(laneId)) continue;
    const repair = adopted.has(laneId) ? 'adopted' : null;
    const shared = refused.get(laneId);
    const why = shared === undefined ? {} : { refused: shared };
    counted.found('missingHere', 'missing-here', { ...lineOfShown(shown), enrolment, repair, ...why });
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

const noneAdopted: AdoptedPasses = { adopted: new Set(), refused: new Map() };

async function adoptMissing(
  session: SqlSession,
  { tools }: PartnerReader,
  { job, program, page, matched, at: place }: PlacedPage,
): Promise<AdoptedPasses> {
  const { keys: members, mac, clock } = tools;
  const passes = matched.missingHere.map(toAdopt);
  const request = {
    program,
    place,
    passes,
    job: job.jobId,
    page,
    now: clock.now(),
    sendsKept: place.onRejoin === 'send',
  };
  return adoptPasses(session, request, { members, mac });
}
