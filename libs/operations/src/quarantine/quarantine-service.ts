import { Injectable } from '@nestjs/common';

import type { ProgramsFile } from '#contracts';
import type { UnvalidatedEvent } from '#events';
import { headersOf } from '#events/core';
import { readUnvalidatedEvent } from '#events';
import type {
  ActingRole,
  AuditContext,
  BatchCounts,
  BrowsedRecord,
  Correction,
  Resubmission,
  ResubmitBatchResult,
  ResubmitRequest,
  ResubmitResult,
  RouteRecord,
  SettlementResult,
  UnpackBatch,
} from '#intents';
import { QuarantinedBatches, QuarantineRepository, QuarantineSettlements } from '#intents';
import { Clock } from '#platform';

import { requireAdminFor } from '../access/operator.js';
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
export const partlyResubmitted = 'partly-resubmitted';

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
  readonly audit: AuditContext;
  /** In which it is asked for. */
  readonly role: ActingRole;
  /** As of a `ResubmitRequest`. */
  readonly isTrial?: boolean;
  readonly alongside?: NonNullable<ResubmitRequest['alongside']>;
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

/** What came of a record. */
export interface SettledRecord {
  readonly result: SettlementResult;
  /** Of a record batch: how many of its records became what. */
  readonly counts: BatchCounts | null;
}

type Settled =
  | { readonly kind: 'done'; readonly result: SettlementResult; readonly counts?: BatchCounts }
  | { readonly kind: 'absent' | 'settled' };

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

  /** @throws {ApiProblem} where the record stays as it is, and why */
  async settle(quarantineId: number, settling: Settling): Promise<SettledRecord> {
    const settled = await this.carryOut(quarantineId, settling);
    if (settled.kind === 'done') return { result: settled.result, counts: settled.counts ?? null };
    throw settled.kind === 'absent' ? noSuchRecord() : alreadySettled(await this.store.records.find(quarantineId));
  }

  private async carryOut(quarantineId: number, settling: Settling): Promise<Settled> {
    const { kind, audit, role, correction, isTrial = false, alongside } = settling;
    const request = { quarantineId, audit, ...(alongside === undefined ? {} : { alongside }) };
    if (kind === 'discard') {
      const discarded = await this.store.settlements.discard(request);
      return discarded.kind === 'done' ? { kind: 'done', result: 'discarded' } : { kind: discarded.kind };
    }
    const permit = (resubmission: Resubmission): string[] => this.permit(resubmission, role);
    return this.resubmit({ ...request, correction, isTrial, permit });
  }

  /** @throws {ApiProblem} 404 */
  async show(quarantineId: number): Promise<BrowsedRecord> {
    const record = await this.store.records.find(quarantineId);
    if (record === null) throw noSuchRecord();
    return record;
  }

  /** @throws {ApiProblem} that undoes everything */
  private permit(resubmission: Resubmission, role: ActingRole): string[] {
    const changes = adminsCorrection(resubmission, () => this.programs.file());
    const privileged = [...new Set([...adminsEffects(resubmission), ...changes])];
    requireAdminFor(privileged, { role });
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
}
