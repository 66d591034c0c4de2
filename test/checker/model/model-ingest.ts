import type { IntentRow } from '../history/lane-history.js';
import type { DedupRow } from '../history/run-history.js';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import type { ModelLane } from './model-lane.js';
import { appendByOthers, isUntouched, stateOf } from './model-lane.js';
import type { ModelRecord, ModelSource } from './model-source.js';
import type { ModelStore } from './model-store.js';

const batchMax = 6;

/** Consumes one partition: reads on from the stored offset, records a batch in one transaction. */
export class ModelIngest {
  /** Where a consumer believes to stand: one that lost its partition believes it still. */
  private position = 0;

  constructor(
    private readonly partition: { readonly topic: string; readonly partition: number },
    private readonly around: {
      readonly agenda: Agenda;
      readonly chance: Chance;
      readonly store: ModelStore;
      readonly source: ModelSource;
      readonly trouble: { share: number };
    },
  ) {}

  private get name(): string {
    return `${this.partition.topic}/${this.partition.partition}`;
  }

  start(): void {
    const { agenda, chance } = this.around;
    agenda.after(chance.between(20, 400), () => this.turn());
  }

  private turn(): void {
    const { store, chance, source, agenda, trouble } = this.around;
    const isZombie = store.bug !== 'offset-before-transaction' && chance.happens(trouble.share / 3);
    if (!isZombie) this.position = store.offsets.get(this.name) ?? 0;
    const from = isZombie ? Math.max(0, this.position - chance.between(0, 3)) : this.position;
    const records = source.read(this.partition, from, batchMax);
    const isLost = chance.happens(trouble.share / 4);
    if (records.length > 0 && store.bug === 'offset-before-transaction')
      store.offsets.set(this.name, (records.at(-1)?.offset ?? 0) + 1);
    if (records.length > 0 && !isLost) agenda.after(chance.between(1, 5), () => this.record(records));
    this.start();
  }

  /** One transaction: all of it or nothing. */
  private record(records: readonly ModelRecord[]): void {
    const { store, chance } = this.around;
    const stored = store.offsets.get(this.name) ?? 0;
    const isFenced = store.bug !== 'consumer-not-fenced' && store.bug !== 'offset-before-transaction';
    const fresh = isFenced ? records.filter(({ offset }) => offset >= stored) : [...records];
    if (store.bug === 'source-order-shuffled') fresh.sort(() => chance.unit() - 0.5);
    store.transactions += 1;
    for (const record of fresh) this.recordOne(record);
    const next = (records.at(-1)?.offset ?? 0) + 1;
    store.offsets.set(this.name, Math.max(next, isFenced ? stored : 0));
  }

  private recordOne(record: ModelRecord): void {
    const { store } = this.around;
    const { topic, incarnation, partition, offset, eventKey, businessKey, kind } = record;
    if (kind === 'tombstone') return;
    if (kind === 'bad' || eventKey === null) {
      store.quarantine.push({ topic, incarnation, partition, offset, reason: 'unreadable' });
      return;
    }
    const known = store.bug === 'event-recorded-twice' ? undefined : store.dedup.get(eventKey);
    if (known !== undefined && store.bug !== 'consumer-not-fenced') return;
    const sameBusiness = businessKey === null ? undefined : store.dedup.get(businessKey);
    if (sameBusiness !== undefined && store.bug !== 'event-recorded-twice')
      this.recordAgain(record, eventKey, sameBusiness);
    else if (kind === 'voided') this.recordVoid(record, eventKey);
    else this.recordIntent(record, { eventKey, businessKey });
  }

  /** The same purchase again is no news; an enrolment that says something else corrects the first, or updates. */
  private recordAgain(record: ModelRecord, eventKey: string, { laneId, seq }: DedupRow): void {
    const { store, agenda } = this.around;
    const lane = store.lanes.get(laneId ?? 0);
    const first = lane?.intents[(seq ?? 0) - 1];
    const isNews = record.kind === 'enrolled' && lane !== undefined && first?.asks?.content !== record.content;
    store.dedup.set(eventKey, { key: eventKey, kind: 'event', laneId: null, seq: null });
    if (!isNews || first === undefined) return;
    if (isUntouched(stateOf(lane, first.seq))) {
      const event = { type: 'IntentCorrected', at: agenda.now, by: 'source-event', reason: 'enrolled-again' } as const;
      appendByOthers(lane, { seq: first.seq, event, rest: { asks: record.asks } }, false);
      return;
    }
    const asks =
      record.asks === null ? null : { ...record.asks, operation: 'update-via-workflow' as const, target: '78' };
    this.recordIntent({ ...record, asks }, { eventKey, businessKey: null });
  }

  private recordVoid({ refersTo }: ModelRecord, eventKey: string): void {
    const { store, agenda } = this.around;
    const place = refersTo === null ? undefined : store.dedup.get(refersTo);
    const lane = store.lanes.get(place?.laneId ?? 0);
    if (lane !== undefined) store.cancel(lane, place?.seq ?? 0, agenda.now);
    store.dedup.set(eventKey, { key: eventKey, kind: 'event', laneId: null, seq: null });
  }

  private recordIntent(
    record: ModelRecord,
    keys: { readonly eventKey: string; readonly businessKey: string | null },
  ): void {
    const { store, agenda } = this.around;
    const { topic, incarnation, partition, offset, asks, memberId, refersTo } = record;
    if (asks === null || memberId === null) return;
    const lane = store.laneOf(memberId);
    const seq = lane.intents.length + 1;
    lane.version += 1;
    store.position += 1;
    const purchase = refersTo === null ? undefined : store.dedup.get(refersTo);
    const row: IntentRow = {
      ...{ topic, incarnation, partition, offset, seq, asks },
      version: lane.version,
      operation: asks.operation,
      dedupKey: keys.eventKey,
      waitsFor: purchase?.laneId === lane.laneId ? purchase.seq : null,
      recordedAt: agenda.now,
      transaction: String(store.transactions),
      position: store.position,
    };
    lane.intents.push(row);
    lane.cursor = { ...lane.cursor, tail: seq };
    if (asks.operation === 'issue') lane.issueSeq = seq;
    wake(lane, asks.operation === 'issue' ? seq : null, agenda.now);
    const place = { laneId: lane.laneId, seq };
    store.dedup.set(keys.eventKey, { key: keys.eventKey, kind: 'event', ...place });
    if (keys.businessKey !== null)
      store.dedup.set(keys.businessKey, { key: keys.businessKey, kind: 'business', ...place });
  }
}

/** An idle lane becomes due; an enrolment that reaches a lane waiting for its pass goes first. */
function wake(lane: ModelLane, issueSeq: number | null, now: number): void {
  if (lane.state === 'waiting' && lane.owner === null && issueSeq !== null) {
    lane.cursor = { ...lane.cursor, redo: [issueSeq, ...lane.cursor.redo], current: issueSeq };
    Object.assign(lane, { attempt: 0, revision: lane.revision + 1, state: 'live', dueAt: now });
  } else if (lane.state === 'live') {
    lane.dueAt ??= now;
  }
}
