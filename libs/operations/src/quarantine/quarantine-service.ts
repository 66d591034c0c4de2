import { Injectable } from '@nestjs/common';

import type { ProgramsFile, QuarantineBulkResult } from '#contracts';
import type { UnvalidatedEvent } from '#events';
import { headersOf } from '#events/core';
import { readUnvalidatedEvent } from '#events';
import type {
  BatchCounts,
  BrowsedRecord,
  Correction,
  QuarantinePlace,
  QuarantineReach,
  Resubmission,
  ResubmitBatchResult,
  ResubmitRequest,
  ResubmitResult,
  RouteRecord,
  UnpackBatch,
} from '#intents';
import { QuarantinedBatches, QuarantineRepository, QuarantineSettlements } from '#intents';
import { Clock, DatabaseError } from '#platform';

import type { Actor } from '../access/operator.js';
import { requireAdminFor, auditContextOf } from '../access/operator.js';
import { adminsEventChanges } from '../corrections/admins-changes.js';
import { ApiProblem } from '../problems/api-problem.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { isoTime } from '../requests/read-request.js';

export function noSuchRecord(): ApiProblem {
  return new ApiProblem({ status: 404, code: 'no-such-record', title: 'There is no such record in quarantine' });
}

/** Says who was faster. */
export function alreadySettled(record: BrowsedRecord | null): ApiProblem {
  const { state, settlement } = record ?? { state: 'settled', settlement: null };
  const by = settlement === null ? '' : ` by ${settlement.actor} at ${isoTime(settlement.at)}: ${settlement.reason}`;
  const title = 'Somebody has dealt with this record already';
  return new ApiProblem({ status: 409, code: `already-${state}`, title, detail: `It was ${state}${by}` });
}

const bytesLost = {
  status: 409,
  code: 'bytes-lost',
  title: 'The record cannot be read any more',
  detail: 'No key opens its bytes. Send a whole corrected record with headers and value, or discard it.',
};

const batch = {
  status: 422,
  code: 'record-batch',
  title: 'This is a whole record batch, not a record',
};

const uncorrected = 'Its records are taken in as they are, or set aside one by one: then each can be corrected.';
const tooLarge =
  'Raise KAFKA_DECOMPRESSED_BYTES_MAX of the process that serves the operations API, and its memory, and ask again. Or ' +
  'have its producer send the records again, in smaller batches, then discard it.';
const damaged = 'Have its producer send the records again, then discard it.';

/** Why nothing can be taken out of a record batch, and what helps. */
function notUnpacked({ reason, detail }: Extract<ResubmitBatchResult, { kind: 'refused' }>): ApiProblem {
  const isTooLarge = reason === 'oversized';
  return new ApiProblem({
    ...{ status: 422, code: isTooLarge ? 'still-refused' : 'record-batch' },
    title: isTooLarge ? 'The record batch would be set aside again' : 'The record batch cannot be taken apart',
    detail: `${reason}: ${detail}. ${isTooLarge ? tooLarge : damaged}`,
  });
}

/** One request works on a batch for so long: clients and proxies give up on slower ones, and a stop waits for it. */
export const resubmitBatchMsMax = 10_000;

function countsText({ recorded, duplicate, ignored, setAside }: BatchCounts): string {
  return `${recorded} recorded, ${duplicate} duplicates, ${ignored} ignored, ${setAside} set aside by themselves`;
}

/** What was taken in stays; the next request continues behind it. */
const partlyResubmitted = 'partly-resubmitted';

function partly({ counts, from }: Extract<ResubmitBatchResult, { kind: 'part' }>): ApiProblem {
  const title = 'A part of the record batch is taken in';
  const detail = `${countsText(counts)}. Ask again: it goes on at offset ${from}.`;
  return new ApiProblem({ status: 409, code: partlyResubmitted, title, detail });
}

/** Why a record stays in quarantine as it is. A conflict is with what was recorded before, the rest with the record. */
function notResubmitted(
  refused: Extract<ResubmitResult, { kind: 'lost' } | { kind: 'batch' } | { kind: 'refused' }>,
): ApiProblem {
  switch (refused.kind) {
    case 'lost':
      return new ApiProblem(bytesLost);
    case 'batch':
      return new ApiProblem({ ...batch, detail: uncorrected });
    case 'refused': {
      const title = 'The record would be set aside again';
      const detail = `${refused.reason}: ${refused.detail}`;
      return new ApiProblem({
        status: refused.reason === 'conflict' ? 409 : 422,
        code: 'still-refused',
        title,
        detail,
      });
    }
  }
}

/** What a person wants done with a record, and why. */
export interface Settling {
  readonly kind: 'resubmit' | 'discard';
  readonly correction: Correction | null;
  readonly reason: string;
  readonly actor: Actor;
  /** It is only tried: whatever comes of it is undone. */
  readonly isTrial?: boolean;
}

/** Null where nothing of it can be read. */
function saidIn({
  value,
  headersText,
}: Pick<Resubmission['arrived'], 'value' | 'headersText'>): UnvalidatedEvent | null {
  if (value === 'lost' || headersText === null) return null;
  return readUnvalidatedEvent({ value, headers: headersOf(headersText) });
}

/** What takes an admin although it is as it arrived: it makes members one, or is for ever. */
function adminsEffects({ verdicts }: Resubmission): string[] {
  const effects = verdicts.map((verdict) => (verdict.kind === 'routed' ? verdict.memberEffects : null));
  const erases = effects.some((effect) => effect?.erase === true);
  const merges = effects.some((effect) => effect?.merge !== undefined);
  return [...(erases ? ['data.erase'] : []), ...(merges ? ['data.absorbed'] : [])];
}

/** What a correction changes that is an admin's. Of a record that a map reads nobody can say what a field of it means. */
function adminsCorrection(
  { arrived, taken, isCorrected, isMapped }: Resubmission,
  programs: () => ProgramsFile,
): string[] {
  if (!isCorrected) return [];
  return isMapped ? ['value'] : adminsEventChanges(saidIn(arrived), saidIn(taken), programs());
}

/** What came of dealing with a record, or with a whole batch of them. */
interface Settled {
  readonly kind: 'done' | 'absent' | 'settled';
  readonly counts?: BatchCounts | null;
}

/** One request takes so long at most: clients and proxies give up on slower ones, and a stop waits for it. */
export const settleManyMsMax = 10_000;
/** So many failures are listed; the others are only counted. */
export const failuresShownMax = 100;

export interface SettleMany extends QuarantineReach {
  readonly limit: number;
  /** How many the caller has counted; null: no matter. */
  readonly atMost?: number | null;
  /** What is done with each, in a transaction of its own. */
  readonly settling: Omit<Settling, 'correction'>;
}

export interface SettledMany extends Omit<QuarantineBulkResult, 'nextCursor'> {
  /** The last record that was tried. */
  readonly last: QuarantinePlace;
}

type Attempt =
  | { readonly kind: 'done' | 'skipped' }
  /** `isPart`: the rest of a record batch goes before all that came later. */
  | { readonly kind: 'failed'; readonly detail: string; readonly isPart: boolean };

function failureOf(error: unknown): Attempt {
  if (error instanceof ApiProblem) {
    const isTaken = error.options.code.startsWith('already-') || error.options.status === 404;
    const isPart = error.options.code === partlyResubmitted;
    return isTaken ? { kind: 'skipped' } : { kind: 'failed', detail: error.message, isPart };
  }
  // The database is away: whatever is left must wait, and stays as it is.
  if (error instanceof DatabaseError && error.kind !== 'failed') throw error;
  const name = error instanceof Error ? error.name : 'failed';
  return { kind: 'failed', detail: `Our own code failed on it (${name}). Please report it.`, isPart: false };
}

async function attempt(work: Promise<unknown>): Promise<Attempt> {
  try {
    await work;
    return { kind: 'done' };
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * A record may become seen after one that is newer: both were on their way when the caller counted.
 *
 * @throws {ApiProblem} where there are more than were counted
 */
async function refuseUnexpected(
  records: QuarantineRepository,
  { atMost = null, ...reach }: Omit<SettleMany, 'settling'>,
): Promise<void> {
  if (atMost === null) return;
  const found = await records.count(reach);
  if (found <= atMost) return;
  throw new ApiProblem({
    ...{ status: 409, code: 'more-than-expected', title: 'There are more records than were counted' },
    detail: `${found} instead of ${atMost}. Nothing was done with them: count again.`,
  });
}

/** The repositories of what is set aside. */
@Injectable()
export class QuarantineStore {
  constructor(
    readonly records: QuarantineRepository,
    readonly settlements: QuarantineSettlements,
    readonly batches: QuarantinedBatches,
  ) {}
}

/** Taking in a record outside of ingest. */
export abstract class Intake {
  /** Reads the programs file in force at each call. */
  abstract readonly route: RouteRecord;
  /** Takes stored record batches apart, up to what one may grow to in this process. */
  abstract readonly unpack: UnpackBatch;
  /** Whether dead letters are published of what is set aside. */
  abstract readonly hasDeadLetters: boolean;
}

/** Deals with one record set aside: all in one transaction each, the trace included. A record batch takes several. */
@Injectable()
export class QuarantineService {
  constructor(
    private readonly store: QuarantineStore,
    private readonly clock: Clock,
    private readonly intake: Intake,
    private readonly programs: ProgramsControl,
  ) {}

  /**
   * @returns of a record batch, how many of its records became what
   * @throws {ApiProblem} where the record stays as it is, and why
   */
  async settle(quarantineId: number, settling: Settling): Promise<BatchCounts | null> {
    const { records, settlements } = this.store;
    const audit = auditContextOf(settling.actor, settling.reason, this.clock);
    const { kind, counts = null }: Settled =
      settling.kind === 'discard'
        ? await settlements.discard({ quarantineId, audit })
        : await this.resubmit({
            ...{ quarantineId, correction: settling.correction, audit, isTrial: settling.isTrial === true },
            permit: (resubmission) => this.permit(resubmission, settling.actor),
          });
    if (kind === 'absent') throw noSuchRecord();
    if (kind === 'settled') throw alreadySettled(await records.find(quarantineId));
    return counts;
  }

  /** @throws {ApiProblem} 404 */
  async show(quarantineId: number): Promise<BrowsedRecord> {
    const record = await this.store.records.find(quarantineId);
    if (record === null) throw noSuchRecord();
    return record;
  }

  /** @throws {ApiProblem} that undoes everything */
  private permit(resubmission: Resubmission, actor: Actor): string[] {
    const changes = adminsCorrection(resubmission, () => this.programs.file());
    const privileged = [...new Set([...adminsEffects(resubmission), ...changes])];
    requireAdminFor(privileged, actor);
    return privileged;
  }

  private async resubmit(request: ResubmitRequest): Promise<Settled> {
    const result = await this.store.settlements.resubmit(request, this.intake.route);
    switch (result.kind) {
      case 'batch':
        if (request.correction !== null || request.isTrial === true) throw notResubmitted(result);
        return this.resubmitBatch(request);
      case 'lost':
      case 'refused':
        throw notResubmitted(result);
      case 'done':
      case 'absent':
      case 'settled':
        return result;
    }
  }

  private async resubmitBatch(request: ResubmitRequest): Promise<Settled> {
    const { clock } = this;
    const { route, unpack, hasDeadLetters } = this.intake;
    const until = clock.monotonic() + resubmitBatchMsMax;
    const isTimeUp = (): boolean => clock.monotonic() >= until;
    const result = await this.store.batches.resubmit(request, { route, unpack, hasDeadLetters, isTimeUp });
    switch (result.kind) {
      case 'lost':
        throw notResubmitted(result);
      case 'refused':
        throw notUnpacked(result);
      case 'part':
        throw partly(result);
      case 'done':
      case 'absent':
      case 'settled':
        return result;
    }
  }

  /**
   * Deals with many records set aside, one after the other in the order in which they came, so that each member's stay in
   * order. However it ends, each is done or untouched.
   * @throws {ApiProblem} where there are more than were counted: nothing was done
   */
  async settleMany({ settling, ...many }: SettleMany): Promise<SettledMany> {
    const { clock } = this;
    const { records } = this.store;
    const { after, limit } = many;
    const places = (await records.next(many)).slice(0, limit);
    // Afterwards: what was read of them is among what is counted.
    await refuseUnexpected(records, many);
    const until = clock.monotonic() + settleManyMsMax;
    const counts = { done: 0, failed: 0, skipped: 0 };
    const failures: { id: number; detail: string }[] = [];
    const rules = new Map<string, number>();
    let last = after;
    for (const place of places) {
      if (clock.monotonic() >= until) break;
      const tried = await attempt(this.settle(place.quarantineId, { ...settling, correction: null }));
      // Not done with: the next request continues it.
      if (tried.kind === 'failed' && tried.isPart) break;
      counts[tried.kind] += 1;
      if (tried.kind === 'failed') {
        rules.set(tried.detail, (rules.get(tried.detail) ?? 0) + 1);
        if (failures.length < failuresShownMax) failures.push({ id: place.quarantineId, detail: tried.detail });
      }
      last = place;
    }
    const refusedBy = [...rules].map(([rule, count]) => ({ rule, records: count }));
    refusedBy.sort((one, other) => other.records - one.records);
    return { ...counts, remaining: await records.count({ ...many, after: last }), failures, refusedBy, last };
  }
}
