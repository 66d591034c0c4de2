import { Inject, Injectable } from '@nestjs/common';

import { JobWork } from '../../job-runner.js';
import type { Job, JobTurn } from '../../job-repository.js';
import type { Allowance } from '../../pace.js';
import { unlimited } from '../../pace.js';
import { isPartial } from '../../../partner-reading/listing-filter.js';
import { PartnerJobTools } from '../../../partner-reading/partner-job-tools.js';
import type { PartnerReaderOptions } from '../../../partner-reading/partner-reader.js';
import { PartnerReader } from '../../../partner-reading/partner-reader.js';
import { listingTurn } from './listing-phase.js';
import type { ReconciliationCursor } from './reconciliation-cursor.js';
import { cursorOf, wantsAdoption, wantsRepair } from './reconciliation-cursor.js';
import { clearSeen, findSeenToClear } from './reconciliation-store.js';
import { oursTurn } from './unlisted-phase.js';

/** What cannot be read back by the specification (partner-api.md section 4). */
const cannotBeReconciled = ['transactions', 'rewards', 'persons', 'SMS subscriptions', 'scheduled updates'];

/** Forgets some of what the listing has shown; at the end the report. */
async function clearingTurn(reader: PartnerReader, job: Job, cursor: ReconciliationCursor): Promise<JobTurn> {
  const { database, clock } = reader.tools;
  const { progress } = job;
  const reconciliationId = await findSeenToClear(database, job.jobId);
  if (reconciliationId === null) {
    await reader.admission.leave(job, reader.programOf(job).name);
    return { cursor, progress, isDone: true, report: reportOf(job, clock.now()) };
  }
  // The one that is cleared may be another one than in the turn before: then it is begun at its first lane.
  const afterLane = cursor.reconciliationId === reconciliationId ? cursor.lane : 0;
  const lane = await clearSeen(database, { reconciliationId, afterLane });
  return { cursor: { ...cursor, reconciliationId, lane: lane ?? 0 }, progress, isDone: false };
}

/** `agrees`: as many rows were seen as the partner counted last. */
function reportOf(job: Job, now: number): object {
  const { progress, createdAt } = job;
  const count = (name: string): number => progress[name] ?? 0;
  const { totalCount = null } = progress as Readonly<Record<string, number | undefined>>;
  return {
    isPartial: isPartial(job),
    agrees: totalCount === null ? null : count('rows') === totalCount,
    pages: count('pages'),
    rows: count('rows'),
    totalCount,
    findings: {
      missingThere: count('missingThere'),
      missingHere: count('missingHere'),
      differing: count('differing'),
      unknownMember: count('unknownMember'),
      duplicateThere: count('duplicateThere'),
      unconfirmed: count('unconfirmed'),
      withoutMemberId: count('withoutMemberId'),
    },
    matched: count('matched'),
    notJudged: {
      underWay: count('underWay'),
      inFlux: count('inFlux'),
      dead: count('dead'),
      listedLate: count('listedLate'),
      listedAgain: count('listedAgain'),
      newMeanwhile: count('newMeanwhile'),
      left: count('left'),
      unreadable: count('unreadable'),
    },
    repaired:
      wantsRepair(job) || wantsAdoption(job) ? { issuedAnew: count('issuedAnew'), adopted: count('adopted') } : null,
    linesBeyond: count('linesBeyond'),
    cannotBeReconciled,
    seconds: Math.round((now - createdAt) / 1_000),
  };
}

/**
 * Holds a program's passes at the partner against ours, in bounded memory: the listing page by page, then those of ours
 * that it did not show, each confirmed by a lookup before it is reported (design.md section 8).
 */
@Injectable()
export class ReconciliationWork extends JobWork {
  override readonly kind = 'reconcile';
  private readonly ending = new AbortController();
  private readonly reader: PartnerReader;

  constructor(@Inject(PartnerJobTools) tools: Omit<PartnerReaderOptions, 'stopping'>) {
    super();
    this.reader = new PartnerReader({ ...tools, stopping: this.ending.signal });
  }

  async turn(job: Job, { canary }: Allowance = unlimited): Promise<JobTurn> {
    const { reader } = this;
    const cursor = cursorOf(job);
    switch (cursor.phase) {
      case 'listing':
        return listingTurn(reader, job, cursor);
      case 'ours':
        return oursTurn(reader, { job, cursor, canary });
      case 'clearing':
        return clearingTurn(reader, job, cursor);
    }
  }

  override stop(): void {
    this.ending.abort();
  }
}
