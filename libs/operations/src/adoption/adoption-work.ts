import type { WalletPass } from '#contracts';
import type { MatchedMember } from '#intents';
import { adoptPasses, ensureMembers } from '#intents';
import type { SqlSession } from '#platform';

import type { JobWork } from '../jobs/job-runner.js';
import type { Job, JobTurn } from '../jobs/job-store.js';
import { findKnownPasses, findLeft } from '../partner-reading/known-passes.js';
import { noTroubles } from '../partner-reading/partner-backoff.js';
import type { ListedPass, PartnerReaderOptions, ReadingCursor, TurnedPage } from '../partner-reading/partner-reader.js';
import { byMember, PartnerReader } from '../partner-reading/partner-reader.js';
import { Tally } from '../partner-reading/tally.js';

interface ListedPage {
  readonly job: Job;
  readonly program: string;
  readonly turned: TurnedPage;
  readonly listed: readonly ListedPass[];
  /** What was counted of the page so far. */
  readonly tally: Tally;
}

interface Candidate {
  readonly member: MatchedMember & { readonly key: Uint8Array };
  readonly pass: WalletPass;
}

/**
 * What a page brings: members that we do not know are created first, in a transaction of their own; that their passes
 * are known, what waited for them, the counts and the job's next page are then written together.
 */
async function adoptListed(
  tools: PartnerReaderOptions,
  page: ListedPage,
): Promise<Pick<JobTurn, 'progress' | 'findings'>> {
  const { program, tally, listed } = page;
  const { database, keys, clock } = tools;
  const { first, further } = byMember(listed);
  for (const row of further) tally.found('conflicting', 'twice-in-page', lineOf(row));
  const memberIds = [...first.keys()];
  const members = await ensureMembers(database, { program, memberIds, now: clock.now() }, keys);
  const left = await findLeft(database, program, members.values());
  tally.add('left', left.size);
  const candidates = candidatesOf(members, { first, left });
  const known = candidates.filter(({ member }) => member.pass === 'known');
  const others = await listConflicts(tools, known);
  for (const { member, pass } of others) tally.found('conflicting', 'another-pass', lineOf({ ...member, pass }));
  tally.add('alreadyKnown', known.length - others.length);
  // What is known already is not touched: its lanes may be at work, and would have to wait for this page.
  const unknown = candidates.filter(({ member }) => member.pass !== 'known');
  return { progress: tally.progress, findings: (session) => adopt(session, tools, { page, unknown }) };
}

function lineOf({ memberId, pass }: ListedPass): Readonly<Record<string, unknown>> {
  return { memberId, passId: pass.passId ?? null };
}

function candidatesOf(
  members: ReadonlyMap<string, MatchedMember>,
  { first, left }: { readonly first: ReadonlyMap<string, WalletPass>; readonly left: ReadonlySet<number> },
): Candidate[] {
  return [...first].flatMap(([memberId, pass]) => {
    const member = members.get(memberId);
    const key = member?.key ?? null;
    return member === undefined || key === null || left.has(member.laneId)
      ? []
      : [{ member: { ...member, key }, pass }];
  });
}

/** Members whose known pass differs from the listed one. */
async function listConflicts(
  { database, keys }: PartnerReaderOptions,
  known: readonly Candidate[],
): Promise<Candidate[]> {
  const facts = await findKnownPasses(
    database,
    known.map(({ member }) => member),
    keys,
  );
  return known.filter(({ member, pass }) => {
    const serialNumber = facts.get(member.laneId)?.serialNumber ?? null;
    return serialNumber !== null && pass.serialNumber !== undefined && pass.serialNumber !== serialNumber;
  });
}

/** The transaction may be repeated, so it counts from the values before it. */
async function adopt(
  session: SqlSession,
  { keys, clock }: PartnerReaderOptions,
  { page, unknown }: { readonly page: ListedPage; readonly unknown: readonly Candidate[] },
): Promise<Pick<Tally, 'progress' | 'lines'>> {
  const { job, program, turned, tally } = page;
  const passes = unknown.map(({ member: { laneId, key }, pass }) => ({ laneId, key, pass }));
  const place = { program, job: job.jobId, page: turned.page.pageNumber, now: clock.now() };
  const adopted = await adoptPasses(session, { ...place, passes }, keys);
  const counted = new Tally(tally.progress);
  counted.add('adopted', adopted.size);
  // Known since a moment ago, by an answer or a lookup.
  counted.add('alreadyKnown', unknown.length - adopted.size);
  return { progress: counted.progress, lines: tally.lines };
}

/** A new job stands at the first page. */
function cursorOf({ cursor }: Job): ReadingCursor {
  return (cursor as ReadingCursor | null) ?? { page: null, troubles: noTroubles };
}

/**
 * Streams a program's listing and records the passes of members as ours, a page per turn, without a lookup per member
 * (contracts.md section 4, adopt). What is known already stays as it is, so that a turn may be made again.
 */
export function adoptionWork(tools: PartnerReaderOptions): JobWork {
  const reader = new PartnerReader(tools);

  const end = async (job: Job, cursor: ReadingCursor): Promise<JobTurn> => {
    await reader.admission.leave(job, reader.programOf(job).name);
    return { cursor, progress: job.progress, isDone: true, report: reportOf(job, tools.clock.now()) };
  };

  const turn = async (job: Job): Promise<JobTurn> => {
    const cursor = cursorOf(job);
    const next = await reader.nextPage(job, cursor);
    if (next.kind === 'come-back') return next.turn;
    if (next.kind === 'end') return end(job, cursor);
    const { turned } = next;
    const tally = new Tally(job.progress);
    const listed = reader.ownPasses(job, turned, tally);
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
