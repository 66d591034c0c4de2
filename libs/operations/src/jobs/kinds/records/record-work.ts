import { Injectable } from '@nestjs/common';

import { UnavailableError } from '#events';
import type { SettlementResult } from '#intents';
import type { SqlSession } from '#platform';
import { Clock, Database, DatabaseError } from '#platform';

import { OperationsObserver } from '../../../access/operations-observer.js';
import { ApiProblem } from '../../../problems/api-problem.js';
import { QuarantineRecords } from '../../../quarantine/quarantine-records.js';
import type { SettledRecord, Settling } from '../../../quarantine/quarantine-service.js';
import { partlyResubmitted, QuarantineService } from '../../../quarantine/quarantine-service.js';
import type { ItemPlace, Mark } from '../../item-work.js';
import { auditContextOfJob, ItemTakenError, markItem, refuseItem } from '../../item-work.js';
import type { Job, JobTurn } from '../../job-repository.js';
import { keepSelection } from '../../job-repository.js';
import { JobWork } from '../../job-runner.js';
import type { ItemForecast } from '../replay/replay-items.js';
import { foretell } from '../replay/replay-items.js';
import { correctionOfRecord } from './record-change.js';
import type { FrozenRecord } from './record-items.js';
import { RecordItemRepository } from './record-items.js';

/** Records of one turn, at most: pauses and cancellations are seen after each. */
const turnRecordsMax = 250;
/** A turn begins no record after so long; one that is a whole batch may take `resubmitBatchMsMax` more. */
const turnMsMax = 2_000;

interface Refused {
  readonly code: string;
  readonly detail: string;
}

/** Why a record stays as it is. @throws what says nothing of the record: it is tried again later */
function refusalOf(error: unknown): Refused {
  if (error instanceof ApiProblem) {
    const { code, detail, title } = error.options;
    return { code, detail: detail ?? title };
  }
  const isAway = error instanceof DatabaseError && error.kind !== 'failed';
  if (isAway || error instanceof UnavailableError || error instanceof ItemTakenError) throw error;
  const name = error instanceof Error ? error.name : 'failed';
  return { code: 'failed', detail: `Our own code failed on it (${name}). Please report it.` };
}

/** A correction that a record does not bear is refused like a request. */
const forecasts: Readonly<Record<string, string>> = {
  'invalid-request': 'cannot-be-corrected',
  'needs-admin': 'needs-admin',
  'record-batch': 'record-batch',
  'no-such-record': 'settled-since',
  'already-resubmitted': 'settled-since',
  'already-discarded': 'settled-since',
};

const taken: Readonly<Record<SettlementResult, string>> = {
  recorded: 'will-be-taken',
  duplicate: 'duplicate',
  ignored: 'ignored',
  discarded: 'will-be-discarded',
};

/** The ordinal up to which items were tried. */
const triedUpTo = ({ cursor }: Job): number => (cursor as { readonly tried: number } | null)?.tried ?? 0;

/** What records are dealt with by. */
@Injectable()
export class RecordParts {
  constructor(
    readonly quarantine: QuarantineService,
    readonly records: QuarantineRecords,
    readonly items: RecordItemRepository,
    readonly database: Database,
  ) {}
}

/** Deals with the records that a job has frozen, one after the other, each in one transaction with its mark. */
@Injectable()
export abstract class RecordWork extends JobWork {
  constructor(
    protected readonly parts: RecordParts,
    protected readonly clock: Clock,
    private readonly observer: OperationsObserver,
  ) {
    super();
  }

  /** @throws {ApiProblem} where it stays as it is */
  protected abstract settle(
    job: Job,
    item: FrozenRecord,
    how: Pick<Settling, 'alongside' | 'isTrial'>,
  ): Promise<SettledRecord>;

  async turn(job: Job): Promise<JobTurn> {
    const { jobId } = job;
    const items = await this.parts.items.next(jobId, { after: 0, limit: turnRecordsMax });
    const isTimeUp = this.timer();
    for (const item of items) {
      if (isTimeUp() || !(await this.carryOut(job, item))) break;
    }
    return { isDone: items.length === 0 };
  }

  /** @returns whether the next one may follow */
  private async carryOut(job: Job, item: FrozenRecord): Promise<boolean> {
    const { jobId } = job;
    const place: ItemPlace = { jobId, ordinal: item.ordinal, now: this.clock.now() };
    try {
      let state: Mark['state'] = 'done';
      const alongside = async (session: SqlSession, result: SettlementResult): Promise<void> => {
        const isPlain = result === 'recorded' || result === 'discarded';
        state = await markItem(session, place, { state: 'done', detail: isPlain ? null : result });
      };
      await this.settle(job, item, { alongside }).catch(async (error: unknown) => {
        const { code, detail } = refusalOf(error);
        // The rest of a record batch goes before all that came later: the next turn continues it.
        if (code === partlyResubmitted) throw new ItemTakenError('a part of it is taken in');
        state = await refuseItem(this.parts.database, place, detail);
      });
      this.observer.jobItems(state, 1);
      return true;
    } catch (error) {
      if (error instanceof ItemTakenError) return false;
      throw error;
    }
  }

  protected timer(): () => boolean {
    const until = this.clock.monotonic() + turnMsMax;
    return () => this.clock.monotonic() >= until;
  }
}

/** Takes records in after all, corrected where that is asked for. Before it is planned each is tried, and nothing is kept of that. */
@Injectable()
export class ResubmitWork extends RecordWork {
  override readonly kind = 'resubmit';

  override async turn(job: Job): Promise<JobTurn> {
    return job.startedAt === null ? this.plan(job) : super.turn(job);
  }

  protected override async settle(
    job: Job,
    { record }: FrozenRecord,
    how: Pick<Settling, 'alongside' | 'isTrial'>,
  ): Promise<SettledRecord> {
    const { quarantine, records } = this.parts;
    const correction = correctionOfRecord(job, await records.arrived(record));
    const audit = auditContextOfJob(job, this.clock.now());
    return quarantine.settle(record, { kind: 'resubmit', correction, audit, role: job.needsRole, ...how });
  }

  private async plan(job: Job): Promise<JobTurn> {
    const { jobId } = job;
    const { items } = this.parts;
    const after = triedUpTo(job);
    const found = await items.next(jobId, { after, limit: turnRecordsMax });
    const foreseen = await this.foreseeInTime(job, found);
    const tried = foreseen.at(-1)?.ordinal ?? after;
    const isPlanned = found.length === 0;
    const alongside = async (session: SqlSession): Promise<void> => {
      await foretell(session, jobId, foreseen);
      if (isPlanned) await keepSelection(session, jobId, await items.sum(session, jobId));
    };
    return { cursor: { tried }, progress: { tried }, isDone: false, isPlanned, alongside };
  }

  private async foreseeInTime(job: Job, found: readonly FrozenRecord[]): Promise<ItemForecast[]> {
    const isTimeUp = this.timer();
    const foreseen: ItemForecast[] = [];
    for (const item of found) {
      if (isTimeUp()) break;
      foreseen.push(await this.foresee(job, item));
    }
    return foreseen;
  }

  private async foresee(job: Job, item: FrozenRecord): Promise<ItemForecast> {
    const { ordinal } = item;
    try {
      const { result } = await this.settle(job, item, { isTrial: true });
      return { ordinal, forecast: taken[result] };
    } catch (error) {
      const { code, detail } = refusalOf(error);
      const forecast = forecasts[code] ?? 'refused-again';
      return { ordinal, forecast, detail, isSkipped: forecast === 'settled-since' };
    }
  }
}

/** Gives records up. */
@Injectable()
export class DiscardWork extends RecordWork {
  override readonly kind = 'discard';

  protected override async settle(
    job: Job,
    { record }: FrozenRecord,
    how: Pick<Settling, 'alongside'>,
  ): Promise<SettledRecord> {
    const audit = auditContextOfJob(job, this.clock.now());
    return this.parts.quarantine.settle(record, {
      ...{ kind: 'discard', correction: null, audit, role: job.needsRole },
      ...how,
    });
  }
}
