import type { IntentEvent } from '#intents/core';
import { groupOf, needsPass } from '#intents/core';

import type { DedupRow, IntentRow, LogRecord, OffsetSample, RunHistory } from '../history.js';
import type { LaneView } from '../lane/lane-view.js';
import { stateBefore } from '../lane/lane-view.js';
import { partitionName, placeName, recordName } from '../lane/place-name.js';
import type { Accusation, Finding, Invariant, Judge } from './invariant.js';
import { atTheEnd, ofTheRun } from './invariant.js';

/**
 * I1: every acknowledged source record became an intent, a quarantine row or a counted no-op. A no-op is known by what
 * it leaves: its event in `dedup`. An identity alone does not explain a record that must be called for: then a record of
 * the same event or business key has to have become an intent.
 */
export const noRecordLost: Invariant = {
  id: 'I1',
  checks:
    'each acknowledged record has an intent, a quarantine row or its event in dedup; what owes a call has an intent',
  cannotSee: 'whether a record that may be a no-op (a void, a stale update) had to be one',
  elsewhere: [
    'libs/intents/src/store/batch/chunk-repository.int.spec.ts',
    'libs/intents/src/store/batch/consequences.int.spec.ts',
  ],
  judge: (run) => new RecordJudge(run),
};

class RecordJudge implements Judge {
  private readonly intents = new Set<string>();
  /** Events of records that an operator put back in: corrected, perhaps, so that the log does not tell them. */
  private readonly requeued = new Set<string>();

  constructor(private readonly run: RunHistory) {}

  lane({ history }: LaneView): Iterable<Finding> {
    for (const intent of history.intents) {
      this.intents.add(placeName(intent));
      if (intent.isResubmitted === true) this.requeued.add(intent.dedupKey);
    }
    return [];
  }

  *end(): Iterable<Finding> {
    const traces = this.traces();
    for (const record of this.run.log) {
      if (!record.isAcknowledged) continue;
      const problem = this.problemOf(record, traces);
      if (problem !== null) yield ofTheRun(problem, [record]);
    }
  }

  private traces(): Traces {
    const called = new Set(this.requeued);
    for (const record of this.run.log) {
      if (!this.intents.has(placeName(record))) continue;
      for (const key of keysOf(record)) called.add(key);
    }
    const quarantined = new Set([...this.run.quarantine].map(recordName));
    const known = new Set([...this.run.dedup].map(({ key }) => key));
    const erased = new Map<string, number>();
    for (const record of this.run.log) {
      const name = memberName(record);
      if (record.erasedAt !== undefined) erased.set(name, Math.max(record.erasedAt, erased.get(name) ?? 0));
    }
    const nobodys = new Set(this.run.log.flatMap(({ nobodysReceipt }) => nobodysReceipt ?? []));
    const isUncalled = (record: LogRecord): boolean =>
      record.owes === 'anything' && record.ofReceipt !== undefined && !this.intents.has(placeName(record));
    const ofNobody = new Set(this.run.log.filter(isUncalled).flatMap(keysOf));
    return { called, quarantined, known, erased, nobodys, ofNobody };
  }

  private problemOf(record: LogRecord, traces: Traces): string | null {
    const { owes } = record;
    const isSetAside = traces.quarantined.has(recordName(record));
    if (owes === 'nothing' || this.intents.has(placeName(record)) || isSetAside) return null;
    return owes === 'quarantine' ? 'an unusable record is not in quarantine' : problemOfNoOp(record, traces);
  }
}

const keysOf = ({ eventKey, businessKey, aliasKey }: LogRecord): string[] =>
  [eventKey, businessKey, aliasKey].flatMap((key) => key ?? []);

const memberName = ({ program, memberId }: LogRecord): string => JSON.stringify([program, memberId]);

function problemOfNoOp(record: LogRecord, { called, known, erased, nobodys, ofNobody }: Traces): string | null {
  const { owes, eventKey, ofReceipt = '', enrolledAt = Infinity } = record;
  if (eventKey === null || !known.has(eventKey)) return 'a record left no trace';
  const isCalled = keysOf(record).some((key) => called.has(key) || ofNobody.has(key));
  // What is dated at the same moment is not after it.
  const isLeftBehind = enrolledAt <= (erased.get(memberName(record)) ?? -Infinity);
  return owes === 'anything' || isCalled || isLeftBehind || nobodys.has(ofReceipt)
    ? null
    : 'a record was taken for known, but no intent is of it';
}

interface Traces {
  /** Identities of records that became intents. */
  readonly called: ReadonlySet<string>;
  readonly quarantined: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
  /** When members were last erased by an event, epoch ms. */
  readonly erased: ReadonlyMap<string, number>;
  /** Receipts of sales without a card: what takes them back may take from nobody. */
  readonly nobodys: ReadonlySet<string>;
  /** Identities of returns without a card that became nothing: the same told again is known. */
  readonly ofNobody: ReadonlySet<string>;
}

/**
 * I2: each intent comes from one record of the log, of its own member and program. One that an operator put back in may
 * have been corrected.
 */
export const noIntentInvented: Invariant = {
  id: 'I2',
  checks:
    "each intent's record is in the log, names its member and program, and may be called for; an enrolment after one that a person gave up is one, no update",
  cannotSee: 'whether the request is what the record asks for: that is routing',
  elsewhere: ['libs/events/src/routing.property.unit.spec.ts'],
  judge: (run) => new InventionJudge(run),
};

class InventionJudge implements Judge {
  private readonly records = new Map<string, LogRecord>();
  private readonly kin: Kin;

  constructor(run: RunHistory) {
    for (const record of run.log) this.records.set(placeName(record), record);
    this.kin = kinOf(run.log);
  }

  *lane(view: LaneView): Iterable<Finding> {
    const { lane, intents } = view.history;
    for (const intent of intents) {
      const record = this.records.get(placeName(intent));
      const problem =
        intent.isResubmitted === true && record !== undefined
          ? null
          : problemOf(record, intent, { ...lane, kin: this.kin });
      if (problem !== null) yield accusation(problem, { intent, record, laneId: lane.laneId });
      if (record !== undefined && updatesWhatWasGivenUp(view, intent, record)) {
        yield accusation('an enrolment became an update of one given up', { intent, record, laneId: lane.laneId });
      }
    }
  }
}

/** Of updates only those have a business key that an enrolment became. */
function updatesWhatWasGivenUp(
  { intents }: LaneView,
  { seq, version, operation }: IntentRow,
  record: LogRecord,
): boolean {
  if (groupOf(operation) !== 'update' || record.businessKey === null) return false;
  const before = [...intents.values()].findLast(({ row }) => row.seq < seq && groupOf(row.operation) === 'issue');
  if (before === undefined) return false;
  const { status, doubts, isProven } = stateBefore(before, version);
  const isByPerson = before.steps.some(
    ({ row: { event } }) => event.type === 'IntentCancelled' && event.by !== 'source-event' && event.by !== 'loyaltyd',
  );
  return status === 'cancelled' && isByPerson && doubts.length === 0 && !isProven;
}

function problemOf(
  record: LogRecord | undefined,
  intent: IntentRow,
  { program, memberId, kin }: { readonly program: string; readonly memberId: string; readonly kin: Kin },
): string | null {
  if (record === undefined) return 'an intent of a record that is not in the log';
  if (record.owes === 'quarantine' || record.owes === 'nothing') return 'an intent of a record that asks for none';
  const named = record.memberId ?? memberId;
  const isOwn = (record.program ?? program) === program && (named === memberId || kin(program, named, memberId));
  return isOwn || isCounterEntry(record, intent) ? null : 'an intent of a record about somebody else';
}

/** Whether a merge has made, or may have made, one of two members. */
type Kin = (program: string, one: string, other: string) => boolean;

function kinOf(log: readonly LogRecord[]): Kin {
  const survivors = new Map<string, string>();
  for (const { program, memberId, absorbs = [] } of log) {
    for (const absorbed of absorbs) survivors.set(JSON.stringify([program, absorbed]), memberId ?? absorbed);
  }
  const survivorOf = (program: string, memberId: string): string =>
    survivors.get(JSON.stringify([program, memberId])) ?? memberId;
  return (program, one, other) => survivorOf(program, one) === survivorOf(program, other);
}

/** What takes something back is that one's whose it is, behind it in the lane, whomever its record names. */
function isCounterEntry({ owes }: LogRecord, { waitsFor }: IntentRow): boolean {
  return owes === 'anything' && waitsFor !== null;
}

function accusation(
  problem: string,
  of: { readonly intent: IntentRow; readonly record: LogRecord | undefined; readonly laneId: number },
): Accusation {
  const { intent, record, laneId } = of;
  return { problem, at: intent.recordedAt, laneId, seq: intent.seq, attempt: null, rows: [intent, record ?? null] };
}

/** I3: dedup keys are unique, sequences and versions dense. */
export const denseAndUnique: Invariant = {
  id: 'I3',
  checks:
    'seq 1..tail and version 1..n per lane without hole or repetition; dedup keys once, each of a recorded intent; one transaction or reward per business key',
  cannotSee: 'an enrolment that was called for twice in one generation of its member',
  elsewhere: ['libs/intents/src/store/batch/identities.int.spec.ts'],
  judge: (run) => new DensityJudge(run),
};

interface Recorded {
  readonly place: string;
  readonly record: string;
}

class DensityJudge implements Judge {
  private readonly tails = new Map<number, number>();
  /** Where each event and each business key was recorded. */
  private readonly recorded = new Map<string, Recorded>();
  private readonly keyOf = new Map<string, string>();
  /** Records of voids and revocations. */
  private readonly takesBack = new Set<string>();

  constructor(private readonly run: RunHistory) {
    for (const record of run.log) {
      if (record.businessKey !== null) this.keyOf.set(placeName(record), record.businessKey);
      if (record.owes === 'anything') this.takesBack.add(placeName(record));
    }
  }

  *lane(view: LaneView): Iterable<Finding> {
    const { lane, intents, events } = view.history;
    const aside = new Set(
      events.flatMap(({ seq, event: { type, at, ...more } }) =>
        type === 'IntentParked' && 'reason' in more && more.reason === 'missing-purchase' ? [`${seq} ${at}`] : [],
      ),
    );
    this.tails.set(lane.laneId, lane.tail);
    const seqs = intents.map(({ seq }) => seq);
    const versions = [...intents, ...events].map(({ version }) => version);
    if (!isDense(seqs, lane.tail)) {
      yield atTheEnd(view, 'sequences are not dense up to the tail', [lane, gapsOf(seqs, lane.tail)]);
    }
    if (!isDense(versions, lane.version)) {
      yield atTheEnd(view, 'versions are not dense up to the version', [lane, gapsOf(versions, lane.version)]);
    }
    for (const intent of intents) {
      // What stands aside for what it takes back has done nothing yet: its number stays free.
      const isAside = this.takesBack.has(placeName(intent)) && aside.has(`${intent.seq} ${intent.recordedAt}`);
      const before = this.remember(intent, lane.laneId, isAside);
      if (before === undefined || intent.isResubmitted === true) continue;
      // Rung up again after a void in time: a person decides.
      if (events.some(({ seq, event }) => seq === intent.seq && isDispute(event))) continue;
      const { recordedAt: at, seq } = intent;
      yield { ...atTheEnd(view, `recorded before as ${before.place}`, [intent]), at, seq };
    }
  }

  /** @returns where it was recorded before; what one record was recorded twice of is for I19 */
  private remember(intent: IntentRow, laneId: number, isAside: boolean): Recorded | undefined {
    const record = placeName(intent);
    const businessKey = needsPass(intent.operation) && !isAside ? this.keyOf.get(record) : undefined;
    const keys = [intent.dedupKey, ...(businessKey === undefined ? [] : [businessKey])];
    const before = keys
      .map((key) => this.recorded.get(key))
      .find((known) => known !== undefined && known.record !== record);
    for (const key of keys) this.recorded.set(key, { place: `${laneId}/${intent.seq}`, record });
    return before;
  }

  *end(): Iterable<Finding> {
    const seen = new Map<string, DedupRow>();
    for (const row of this.run.dedup) {
      const before = seen.get(row.key);
      seen.set(row.key, row);
      if (before !== undefined) yield ofTheRun('a dedup key stands twice', [before, row]);
      if (!this.isRecorded(row)) yield ofTheRun('a dedup key of an intent that is not recorded', [row]);
    }
    for (const [key, { place }] of this.recorded) {
      if (!seen.has(key)) yield ofTheRun(`the identity of intent ${place} is not remembered`, [{ key }]);
    }
  }

  private isRecorded({ laneId, seq }: DedupRow): boolean {
    return laneId === null || (seq ?? 0) <= (this.tails.get(laneId) ?? 0);
  }
}

const isDispute = (event: IntentEvent): boolean => event.type === 'IntentParked' && event.reason === 'conflict';

function isDense(numbers: readonly number[], upTo: number): boolean {
  return numbers.length === upTo && gapsOf(numbers, upTo).length === 0;
}

function gapsOf(numbers: readonly number[], upTo: number): number[] {
  const present = new Set(numbers);
  return Array.from({ length: upTo }, (_, index) => index + 1)
    .filter((number) => !present.has(number))
    .slice(0, 20);
}

/** I4: what one partition says of a member is recorded in the order in which it says it; resubmitted records excepted. */
export const sourceOrder: Invariant = {
  id: 'I4',
  checks: 'per lane and partition, seq and offset rise together',
  cannotSee: 'order across topics, which nobody promises; the keys that producers chose',
  elsewhere: ['libs/intents/src/store/batch/chunk-repository.int.spec.ts'],
  judge: (run) => new SourceOrderJudge(run),
};

/**
 * What stepped aside under the name of an absorbed member follows its sale to the survivor: there it stands behind that, and where it
 * was it is cancelled.
 */
class Followers {
  private readonly named: ReadonlyMap<string, string | null>;

  constructor({ log }: RunHistory) {
    this.named = new Map(log.map((record) => [placeName(record), record.memberId]));
  }

  /** It has followed, from the lane of whom its record names to another one. */
  has(intent: IntentRow, { lane, events }: LaneView['history']): boolean {
    const isNamed = this.named.get(placeName(intent)) === lane.memberId;
    const { seq, recordedAt } = intent;
    return !isNamed && events.some(({ seq: of, event }) => of === seq && event.at === recordedAt && isAside(event));
  }

  /** It was left behind. */
  static isLeft({ seq }: IntentRow, { events }: LaneView['history']): boolean {
    return events.some(
      ({ seq: of, event }) => of === seq && event.type === 'IntentCancelled' && event.reason === 'merged',
    );
  }
}

const isAside = (event: IntentEvent): boolean => event.type === 'IntentParked' && event.reason === 'missing-purchase';

class SourceOrderJudge implements Judge {
  private readonly followers: Followers;

  constructor(run: RunHistory) {
    this.followers = new Followers(run);
  }

  *lane({ history }: LaneView): Iterable<Finding> {
    yield* ordered({
      ...history,
      intents: history.intents.filter((intent) => !this.followers.has(intent, history)),
    });
  }
}

function* ordered(history: LaneView['history']): Iterable<Finding> {
  const last = new Map<string, IntentRow>();
  const seen = new Set<string>();
  for (const intent of history.intents.toSorted((one, other) => one.seq - other.seq)) {
    if (intent.isResubmitted === true) continue;
    const before = last.get(partitionName(intent));
    // What one record was recorded twice of is for I19.
    if (seen.has(placeName(intent))) continue;
    seen.add(placeName(intent));
    last.set(partitionName(intent), intent);
    if (before === undefined || isBehind(before, intent)) continue;
    const { laneId } = history.lane;
    const problem = `offset ${intent.offset} is recorded after offset ${before.offset}`;
    yield { problem, at: intent.recordedAt, laneId, seq: intent.seq, attempt: null, rows: [before, intent] };
  }
}

/** Of one record in the order of its events. */
function isBehind(before: IntentRow, { offset, ordinal = 0 }: IntentRow): boolean {
  return before.offset < offset || (before.offset === offset && (before.ordinal ?? 0) < ordinal);
}

/** I19: stored offsets rise within an incarnation; a consumer that lost its partition appends nothing. */
export const offsetsRise: Invariant = {
  id: 'I19',
  checks:
    'stored offsets never fall and end behind everything recorded; transactions of one partition recorded disjoint ranges in order; no record is in quarantine twice or makes two intents, but an enrolment and its update',
  cannotSee: 'what fenced consumers tried; ranges, where rows do not tell their transaction',
  elsewhere: ['libs/intents/src/store/batch/chunk-repository.int.spec.ts'],
  judge: (run) => new OffsetJudge(run),
};

/** What one transaction recorded of one partition. */
interface Range {
  position: number;
  first: number;
  last: number;
}

const issues = ['issue', 'issue-via-workflow'];
const updates = ['update-via-workflow', 'schedule-update'];

/** An enrolment of somebody who has a pass says the same again as an update: right behind it, or once the pass is found. */
function renews({ operation }: { operation: string }, first: { operation: string }): boolean {
  return issues.includes(first.operation) && updates.includes(operation);
}

interface UsedRecord {
  readonly laneId: number;
  readonly seq: number;
  readonly operation: string;
  readonly program: string;
  readonly memberId: string;
}

class OffsetJudge implements Judge {
  /** Partition -> transaction -> range. */
  private readonly ranges = new Map<string, Map<string, Range>>();
  private readonly highest = new Map<string, number>();
  /** Place of a record -> its last intent. */
  private readonly used = new Map<string, UsedRecord>();
  private readonly kin: Kin;
  private readonly followers: Followers;

  constructor(private readonly run: RunHistory) {
    this.kin = kinOf(run.log);
    this.followers = new Followers(run);
  }

  /** What binds each card of a member is told to each. */
  private isOptOutOf({ operation }: IntentRow, first: UsedRecord, { lane }: LaneView['history']): boolean {
    const areUpdates = updates.includes(operation) && updates.includes(first.operation);
    return (
      areUpdates &&
      lane.laneId !== first.laneId &&
      lane.program === first.program &&
      this.kin(lane.program, lane.memberId, first.memberId)
    );
  }

  *lane({ history }: LaneView): Iterable<Finding> {
    const counting = history.intents.filter((intent) => !Followers.isLeft(intent, history));
    for (const intent of counting) {
      if (intent.isResubmitted === true) continue;
      const { recordedAt: at, seq } = intent;
      const told = { at, laneId: history.lane.laneId, seq, attempt: null, rows: [intent] };
      const place = placeName(intent);
      const first = this.used.get(place);
      const isRenewal = first?.laneId === told.laneId && first.seq < seq && renews(intent, first);
      // Recorded when the pass was found or made: nobody consumed anything then.
      if (isRenewal) continue;
      if (first !== undefined && !this.isOptOutOf(intent, first, history)) {
        yield { problem: 'a second intent of one record', ...told };
      }
      const { program, memberId } = history.lane;
      this.used.set(place, { laneId: told.laneId, seq, operation: intent.operation, program, memberId });
      if (!this.followers.has(intent, history)) this.note(intent);
    }
  }

  *end(): Iterable<Finding> {
    yield* fallen(this.run.offsets);
    yield* this.twiceQuarantined();
    const stored = new Map(this.run.offsets.map((sample) => [partitionName(sample), sample]));
    for (const [partition, offset] of this.highest) {
      const sample = stored.get(partition);
      if (sample !== undefined && sample.nextOffset <= offset) {
        yield ofTheRun(`recorded up to offset ${offset}, stored as not consumed`, [sample]);
      }
    }
    for (const [partition, ranges] of this.ranges) yield* mixed(partition, [...ranges.values()]);
  }

  private note(intent: IntentRow): void {
    const name = partitionName(intent);
    const { offset, transaction, position } = intent;
    this.highest.set(name, Math.max(this.highest.get(name) ?? 0, offset));
    if (transaction === undefined || position === undefined) return;
    const ranges = this.ranges.get(name) ?? new Map<string, Range>();
    this.ranges.set(name, ranges);
    const range = ranges.get(transaction) ?? { position, first: offset, last: offset };
    ranges.set(transaction, range);
    range.position = Math.min(range.position, position);
    range.first = Math.min(range.first, offset);
    range.last = Math.max(range.last, offset);
  }

  private *twiceQuarantined(): Iterable<Finding> {
    const seen = new Set<string>();
    for (const row of this.run.quarantine) {
      if (seen.has(placeName(row))) yield ofTheRun('a record is in quarantine twice', [row]);
      seen.add(placeName(row));
    }
  }
}

function* fallen(samples: readonly OffsetSample[]): Iterable<Finding> {
  const last = new Map<string, OffsetSample>();
  for (const sample of samples) {
    const before = last.get(partitionName(sample));
    last.set(partitionName(sample), sample);
    if (before === undefined || before.nextOffset <= sample.nextOffset) continue;
    yield ofTheRun('a stored offset fell', [before, sample], sample.takenAt);
  }
}

function* mixed(partition: string, ranges: readonly Range[]): Iterable<Finding> {
  const inOrder = ranges.toSorted((one, other) => one.position - other.position);
  for (const [index, range] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (before === undefined || before.last < range.first) continue;
    yield ofTheRun(`${partition} was recorded by two consumers at once`, [before, range]);
  }
}
