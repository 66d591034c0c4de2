import type { Program, ProgramsFile, WalletPass } from '#contracts';
import { identifierSchema } from '#events/core';
import type { ListingSummary, Partner, PassListing, PassPage } from '#gateway';
import { GatewayError } from '#gateway';
import type { MemberKeys } from '#intents';
import type { Clock, Database, Logger, Random } from '#platform';
import { digest } from '#platform';

import { JobFailedError } from '../jobs/job-runner.js';
import type { Job, JobTurn } from '../jobs/job-repository.js';
import type { Troubles } from './partner-backoff.js';
import { backOff, passingFailure } from './partner-backoff.js';
import { listingFilterOf } from './listing-filter.js';
import type { Admission, NamedProgram } from './reading-admission.js';
import { ReadingAdmission, readingTurnMs } from './reading-admission.js';
import type { Tally } from './tally.js';

/** Rows of a page: the most that the partner gives (partner-api.md section 8). */
const readPageSize = 2_000;
/** Pages of one job, per second, where nothing allows less. */
const pagesPerSecondMax = 2;
const pageTimeoutMs = 20_000;
/** Listings that a process keeps open between turns. */
const openListingsMax = 8;

/** A page, and what of it could not be read. */
export interface TurnedPage {
  readonly page: PassPage;
  readonly unreadable: number;
  /** Where the listing continues. */
  readonly nextPage: number;
}

interface Open {
  readonly listing: PassListing;
  readonly pages: AsyncIterator<PassPage>;
  readonly summary: ListingSummary;
}

/**
 * The listings of jobs, kept open between their turns: a listing recognises pages that repeat themselves by those that
 * it has turned. Where another process has carried the job on meanwhile, or after a restart, it is opened anew.
 */
class OpenListings {
  private readonly byJob = new Map<string, Open>();

  /**
   * The page at which the job stands; null behind the last one.
   * @param open begins a listing at that page
   * @throws {GatewayError} where it cannot be had; the next call asks for it again
   */
  async turn({ jobId }: Job, at: number | null, open: () => PassListing): Promise<TurnedPage | null> {
    const kept = this.byJob.get(jobId);
    const current = kept?.summary.nextPage === at ? kept : this.begin(open());
    // Whatever comes of it: a listing that failed is not asked again.
    this.byJob.delete(jobId);
    const turned = await current.pages.next();
    if (turned.done === true) return null;
    const { summary } = current.listing;
    this.keep(jobId, { ...current, summary });
    const unreadable = summary.unreadableRows - current.summary.unreadableRows;
    return { page: turned.value, unreadable, nextPage: summary.nextPage };
  }

  private begin(listing: PassListing): Open {
    return { listing, pages: listing.pages()[Symbol.asyncIterator](), summary: listing.summary };
  }

  private keep(jobId: string, open: Open): void {
    const oldest = this.byJob.keys().next();
    if (this.byJob.size >= openListingsMax && oldest.done !== true) this.byJob.delete(oldest.value);
    this.byJob.set(jobId, open);
  }
}

/** A listed pass that carries our id. */
export interface ListedPass {
  readonly memberId: string;
  readonly pass: WalletPass;
}

/** The member whose pass it is; null where it carries no id that a source event could name, under our key. */
export function memberIdOf(pass: WalletPass, { uniqueIdKey }: Pick<Program, 'uniqueIdKey'>): string | null {
  const id = pass.passdata?.metaData?.[uniqueIdKey];
  // The partner may keep it as a number.
  const read = identifierSchema.safeParse(typeof id === 'number' ? String(id) : id);
  return read.success && read.data.isWellFormed() ? read.data : null;
}

/** What names a pass, cut short: it distinguishes a pass that is listed again from another one of the same member. */
export function markOf({ passId, serialNumber }: WalletPass): number {
  return digest(JSON.stringify([passId ?? null, serialNumber ?? null])).readInt32BE(0);
}

/** The passes of a page by member: the first that is listed of each, and those that come after it. */
export function byMember(listed: readonly ListedPass[]): {
  readonly first: ReadonlyMap<string, WalletPass>;
  readonly further: readonly ListedPass[];
} {
  const first = new Map<string, WalletPass>();
  const further: ListedPass[] = [];
  for (const row of listed) {
    const known = first.get(row.memberId);
    if (known === undefined) first.set(row.memberId, row.pass);
    else if (markOf(known) !== markOf(row.pass)) further.push(row);
  }
  return { first, further };
}

export interface PartnerReaderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly keys: MemberKeys;
  readonly mac: Uint8Array;
  readonly programs: () => ProgramsFile;
  readonly partner: Pick<Partner, 'listPasses' | 'findPass' | 'countPasses'>;
  /** The process stops: a turn ends at once, whatever it waits for. */
  readonly stopping: AbortSignal;
}

/** What every job that reads at the partner keeps of its place. */
export interface ReadingCursor {
  /** The next page, as the partner numbers them; null: the first. */
  readonly page: number | null;
  readonly troubles: Troubles;
}

type PageTurn =
  /** Nothing was read: the turn ends with this. */
  | { readonly kind: 'come-back'; readonly turn: JobTurn }
  | { readonly kind: 'page'; readonly turned: TurnedPage; readonly askedAt: number }
  | { readonly kind: 'end' };

/** What jobs that read at the partner have in common: the program, their admission, pages, and whose passes they show. */
export class PartnerReader {
  readonly admission: ReadingAdmission;
  private readonly listings = new OpenListings();

  constructor(readonly tools: PartnerReaderOptions) {
    this.admission = new ReadingAdmission(tools);
  }

  /** @throws {JobFailedError} where the programs file does not know the program any more */
  programOf({ program: name }: Job): NamedProgram {
    const { programs } = this.tools.programs();
    const program = name !== null && Object.hasOwn(programs, name) ? programs[name] : undefined;
    if (name === null || program === undefined) throw new JobFailedError('the programs file has no such program');
    return { name, program };
  }

  /** The page at which the job stands, when it is its turn. */
  async nextPage(job: Job, cursor: ReadingCursor): Promise<PageTurn> {
    const { name, program } = this.programOf(job);
    const admission = await this.admission.admit({ job, name, program, callsPerSecond: pagesPerSecondMax });
    if (!(await this.mayCall(job, admission))) {
      return { kind: 'come-back', turn: this.comeBack(job, cursor, admission) };
    }
    const askedAt = this.tools.clock.now();
    try {
      const turned = await this.listings.turn(job, cursor.page, () => this.open(program, job, cursor));
      return turned === null ? { kind: 'end' } : { kind: 'page', turned, askedAt };
    } catch (error) {
      if (isBehindLastPage(job, error)) return { kind: 'end' };
      // We have given the page up ourselves, most likely: the partner has no problem, and the next turn asks again.
      if (this.tools.stopping.aborted) return { kind: 'come-back', turn: this.comeBack(job, cursor, admission) };
      return { kind: 'come-back', turn: await this.afterTrouble(job, cursor, error) };
    }
  }

  /** The readable passes of a page that name their member; the others are counted. */
  ownPasses(job: Job, { page, unreadable }: TurnedPage, tally: Tally): ListedPass[] {
    const { program } = this.programOf(job);
    tally.add('pages');
    tally.add('rows', page.passes.length + unreadable);
    tally.add('unreadable', unreadable);
    if (page.totalCount !== null) tally.set('totalCount', page.totalCount);
    return page.passes.flatMap((pass) => {
      const memberId = memberIdOf(pass, program);
      if (memberId !== null) return [{ memberId, pass }];
      tally.found('withoutMemberId', 'without-member-id', { passId: pass.passId ?? null });
      return [];
    });
  }

  /** The turn that ends because the partner failed. @throws failures that a person must look at */
  async afterTrouble(job: Job, cursor: ReadingCursor, error: unknown): Promise<JobTurn> {
    const failure = passingFailure(error);
    const trouble = { job: job.jobId, program: this.programOf(job).name, failure, before: cursor.troubles };
    const { troubles, againAt } = await backOff(this.tools, trouble);
    return { cursor: { ...cursor, troubles }, progress: job.progress, isDone: false, againAt };
  }

  private async mayCall(job: Job, admission: Admission): Promise<boolean> {
    if (admission.kind === 'come-back') return false;
    return this.admission.awaitTurn(job, admission.callsPerSecond, readingTurnMs);
  }

  private comeBack(job: Job, cursor: ReadingCursor, admission: Admission): JobTurn {
    const againAt =
      admission.kind === 'come-back' ? admission.at : this.tools.clock.now() + this.admission.dueInMs(job);
    return { cursor, progress: job.progress, isDone: false, againAt };
  }

  private open({ brandId, programId }: Program, job: Job, { page }: ReadingCursor): PassListing {
    const options = { timeoutMs: pageTimeoutMs, signal: this.tools.stopping, pageSize: readPageSize };
    // Pages may be smaller than asked for: rows that only full pages would hold make a short page look like the last one.
    const { rows: rowsBefore = 0 } = job.progress as Readonly<Record<string, number | undefined>>;
    return this.tools.partner.listPasses(
      { brandId, programId, ...listingFilterOf(job) },
      page === null ? options : { ...options, startPage: page, rowsBefore },
    );
  }
}

const noPage: readonly string[] = ['refused', 'http-400', 'http-404'];

/**
 * A page that is refused once as many rows were seen as are counted. A listing that was opened anew behind the last page
 * knows neither.
 */
function isBehindLastPage({ progress }: Job, error: unknown): boolean {
  if (!(error instanceof GatewayError) || error.stage !== 'answer' || !noPage.includes(error.code)) return false;
  const { rows = 0, totalCount = Infinity } = progress as Readonly<Record<string, number | undefined>>;
  return rows >= totalCount;
}
