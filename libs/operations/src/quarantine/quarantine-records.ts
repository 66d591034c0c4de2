import { Injectable } from '@nestjs/common';

import type {
  MemberView,
  QuarantineActionResult,
  QuarantineCausesView,
  QuarantineCountQuery,
  QuarantineCountView,
  QuarantinedDetails,
  QuarantinedView,
  QuarantinePage,
  QuarantineQuery,
  UnmaskedRecord,
} from '#contracts';
import { quarantineSourcesMax, scriptsOf } from '#contracts';
import type { BatchCounts, BrowsedRecord, DeadLetter, QuarantineCause, QuarantineFilter, Settlement } from '#intents';
import { intentId, QuarantineCausesRepository, QuarantineRepository } from '#intents';
import { Clock } from '#platform';

import type { Actor } from '../access/operator.js';
import { toMoneyView } from '../intents/money-view.js';
import { knownNames } from '../masking/shown-documents.js';
import { ProgramsControl } from '../reload/programs-control.js';
import { isoTime, timeRange } from '../requests/read-request.js';
import { alreadySettled, noSuchRecord } from './quarantine-service.js';
import { showBatch, showCorrected, showRecord, unmaskedRecord } from './shown-record.js';

const asSaid = ['reason', 'topic', 'detail', 'source', 'store', 'program', 'cause', 'memberId'] as const;

/** What a request says about which records are meant. */
export function toQuarantineFilter(query: QuarantineCountQuery): QuarantineFilter {
  const said = Object.fromEntries(asSaid.map((name) => [name, query[name] ?? null]));
  const { from = null, to = null } = timeRange(query);
  return { ...(said as Record<(typeof asSaid)[number], string | null>), number: query.purchaseId ?? null, from, to };
}

function toSettlementView(settlement: Settlement): NonNullable<QuarantinedView['settled']> {
  const { at, actor: by, reason: why, result, ignoredReason: reason, intent } = settlement;
  return { at: isoTime(at), by, why, result, reason, intent: intent === null ? null : intentId(intent) };
}

/** A record set aside as the API shows it. */
export function toQuarantinedView(record: BrowsedRecord): QuarantinedView {
  const { quarantineId: id, state, reason, detail, topic, partition, offset, lastOffset, settlement } = record;
  const { source, store, program, cause, amount, currency } = record;
  const bytes = record.valueBytes;
  const producedAt = isoTime(record.brokerAt);
  const recordedAt = isoTime(record.recordedAt);
  const settled = settlement === null ? null : toSettlementView(settlement);
  const place = { topic, partition, offset, lastOffset };
  return {
    id,
    state,
    reason,
    detail,
    ...place,
    bytes,
    producedAt,
    recordedAt,
    source,
    store,
    program,
    cause,
    amount: amount === null || currency === null ? null : toMoneyView(amount, currency),
    ...scriptsOf(source, store, program),
    settled,
  };
}

const details: Readonly<Record<Settlement['result'], string>> = {
  recorded: 'It is taken in.',
  duplicate: 'The same had been taken in already: nothing is done a second time.',
  ignored: 'It is taken in and comes to nothing, as it would have in its topic: see the reason.',
  discarded: 'It is given up. Its bytes are kept.',
};

/** What became of a record that was just dealt with. */
export function toActionResult(record: BrowsedRecord, records: BatchCounts | null): QuarantineActionResult {
  const { id, settled } = toQuarantinedView(record);
  if (settled === null) throw alreadySettled(record);
  const { result, intent, reason } = settled;
  const told = { id, result, intent, reason };
  if (records === null) return { ...told, detail: details[result] };
  return { ...told, detail: 'Its records are taken in, each by itself.', records };
}

function toCauseView({
  money,
  firstAt,
  lastAt,
  hours,
  ...cause
}: QuarantineCause): QuarantineCausesView['items'][number] {
  return {
    ...cause,
    ...{ firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) },
    money: money.map(({ amount, currency }) => toMoneyView(amount, currency)),
    ...{ sources: [...cause.sources], stores: [...cause.stores] },
    hours: hours.map(({ at, records }) => ({ at: isoTime(at), records })),
  };
}

/** Records of one member that are shown with them. */
const ofMemberMax = 20;

interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

/** Reads what came in and could not become an intent. */
@Injectable()
export class QuarantineRecords {
  constructor(
    private readonly records: QuarantineRepository,
    private readonly clock: Clock,
    private readonly programs: ProgramsControl,
    private readonly byCause: QuarantineCausesRepository,
  ) {}

  async causes(query: QuarantineCountQuery): Promise<QuarantineCausesView> {
    const { causes, isExact } = await this.byCause.list(toQuarantineFilter(query), this.clock.now());
    return { isExact, items: causes.map(toCauseView) };
  }

  /** Open ones that name a member: of the program, or of none that is known where the operator may see these. */
  async ofMember(
    { program, memberId }: MemberName,
    { programs }: Pick<Actor, 'programs'>,
  ): Promise<MemberView['setAside']> {
    const request = { ...toQuarantineFilter({ memberId }), state: 'open', before: null, limit: ofMemberMax } as const;
    const { items, next } = await this.records.browse(request);
    const theirs = items.filter(
      (record) => record.program === program || (record.program === null && programs === null),
    );
    return { items: theirs.map(toQuarantinedView), hasMore: next !== null };
  }

  async list({ state, cursor, limit, ...query }: QuarantineQuery): Promise<QuarantinePage> {
    const before = cursor === undefined ? null : Number(cursor);
    const request = { ...toQuarantineFilter(query), state, before, limit };
    const { items, next } = await this.records.browse(request);
    return { items: items.map(toQuarantinedView), nextCursor: next === null ? null : String(next) };
  }

  async count(query: QuarantineCountQuery): Promise<QuarantineCountView> {
    const at = isoTime(this.clock.now());
    const tallied = await this.records.tally(toQuarantineFilter(query));
    const { bySource, byReason, ...tally } = tallied;
    return { ...tally, at, byReason: [...byReason], bySource: bySource.slice(0, quarantineSourcesMax) };
  }

  /** @param record as it is listed @throws {ApiProblem} 404 */
  async details(record: BrowsedRecord): Promise<QuarantinedDetails> {
    const { quarantineId: id } = record;
    const names = knownNames(this.programs.file());
    const letter = await this.arrived(id);
    const correction = await this.records.readCorrection(id);
    const corrected = correction === null ? null : showCorrected(letter, correction, names);
    const shown = letter.lastOffset === null ? showRecord(letter, names) : showBatch(letter);
    return { ...toQuarantinedView(record), ...shown, corrected };
  }

  /** As it arrived. @throws {ApiProblem} 404 */
  async arrived(id: number): Promise<DeadLetter> {
    const letter = await this.records.read(id);
    if (letter === null) throw noSuchRecord();
    return letter;
  }

  /** With everything personal. @throws {ApiProblem} 404 */
  async unmasked(id: number): Promise<UnmaskedRecord> {
    return { id, ...unmaskedRecord(await this.arrived(id)) };
  }
}
