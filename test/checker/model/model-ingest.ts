import { isUntouched } from '#domain';

import type { DedupRow, IntentRow } from '../history.js';
import type { Agenda } from './agenda.js';
import type { Chance } from '#shop';
import { appendByOthers, recordIntents, stateOf } from './lane-model.js';
import type { ModelLane } from './model-lane.js';

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
    const from = this.believedOffset();
    const records = source.read(this.partition, from, batchMax);
    const isLost = chance.happens(trouble.share / 4);
    this.start();
    if (records.length === 0) return;
    if (store.bug === 'offset-before-transaction') store.offsets.set(this.name, endOf(records));
    if (!isLost) {
      agenda.after(chance.between(1, 5), () => {
        this.record(records);
      });
    }
  }

  /** A consumer that has lost its partition reads on from where it stood. */
  private believedOffset(): number {
    const { store, chance, trouble } = this.around;
    const isZombie = store.bug !== 'offset-before-transaction' && chance.happens(trouble.share / 3);
    if (isZombie) return Math.max(0, this.position - chance.between(0, 3));
    this.position = store.offsets.get(this.name) ?? 0;
    return this.position;
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
    store.offsets.set(this.name, Math.max(endOf(records), isFenced ? stored : 0));
  }

  private recordOne(record: ModelRecord): void {
    const { store } = this.around;
    const { topic, incarnation, partition, offset, eventKey, kind } = record;
    if (kind === 'tombstone') return;
    if (eventKey === null) store.quarantine.push({ topic, incarnation, partition, offset, reason: 'unreadable' });
    else if (store.bug === 'event-recorded-twice' && kind !== 'voided') {
      this.recordIntent(record, { eventKey, businessKey: record.businessKey });
    } else if (!store.dedup.has(eventKey) || store.bug === 'consumer-not-fenced') this.recordNew(record, eventKey);
  }

  private recordNew(record: ModelRecord, eventKey: string): void {
    const { businessKey, kind } = record;
    const sameBusiness = this.around.store.dedup.get(businessKey ?? '');
    if (sameBusiness !== undefined && kind === 'enrolled') this.enrolAgain(record, eventKey, sameBusiness);
    else if (sameBusiness !== undefined) this.remember(eventKey);
    else if (kind === 'voided') this.recordVoid(record, eventKey);
    else this.recordIntent(record, { eventKey, businessKey });
  }

  /** An enrolment that says something else corrects the first, or updates. */
  private enrolAgain(record: ModelRecord, eventKey: string, place: DedupRow): void {
    this.remember(eventKey);
    const lane = this.around.store.lanes.get(place.laneId ?? 0);
    const first = lane?.intents.find(({ seq }) => seq === place.seq);
    if (lane === undefined || first === undefined || first.asks?.content === record.content) return;
    if (isUntouched(stateOf(lane, first.seq))) this.correct(lane, first, record);
    else this.update(record, eventKey);
  }

  private correct(lane: ModelLane, { seq }: IntentRow, { asks }: ModelRecord): void {
    const at = this.around.agenda.now;
    const event = { type: 'IntentCorrected', at, by: 'source-event', reason: 'enrolled-again' } as const;
    appendByOthers(lane, { seq, event, rest: { asks } }, false);
    if (stateOf(lane, seq).status === 'parked') this.reopen(lane, seq);
  }

  /** A parked enrolment blocks its lane here: it is current. */
  private reopen(lane: ModelLane, seq: number): void {
    const { store, agenda } = this.around;
    if (store.bug === 'mended-stays-parked') return;
    const said = { at: agenda.now, by: 'source-event', reason: 'enrolled-again', overtaken: 0 } as const;
    appendByOthers(lane, { seq, event: { type: 'IntentReplayed', ...said } }, true);
  }

  private update(record: ModelRecord, eventKey: string): void {
    if (record.asks === null) return;
    const asks = { ...record.asks, operation: 'update-via-workflow', target: '78' } as const;
    this.recordIntent({ ...record, asks }, { eventKey, businessKey: null });
  }

  private remember(eventKey: string): void {
    this.around.store.dedup.set(eventKey, { key: eventKey, kind: 'event', laneId: null, seq: null });
  }

  private recordVoid({ refersTo }: ModelRecord, eventKey: string): void {
    const { store, agenda } = this.around;
    const place = store.dedup.get(refersTo ?? '');
    const lane = store.lanes.get(place?.laneId ?? 0);
    if (lane !== undefined) store.cancel(lane, place?.seq ?? 0, agenda.now);
    this.remember(eventKey);
  }

  private recordIntent(
    record: ModelRecord,
    keys: { readonly eventKey: string; readonly businessKey: string | null },
  ): void {
    const { store, agenda } = this.around;
    const { topic, incarnation, partition, offset, asks, memberId, refersTo } = record;
    if (asks === null || memberId === null) return;
    const lane = store.laneOf(memberId);
    const purchase = store.dedup.get(refersTo ?? '');
    store.position += 1;
    const intent = {
      ...{ topic, incarnation, partition, offset, asks },
      operation: asks.operation,
      dedupKey: keys.eventKey,
      waitsFor: purchase?.laneId === lane.laneId ? purchase.seq : null,
      recordedAt: agenda.now,
      transaction: String(store.transactions),
      position: store.position,
    };
    const [row] = recordIntents(lane, [intent], agenda.now);
    if (row === undefined) return;
    const place = { laneId: lane.laneId, seq: row.seq };
    store.dedup.set(keys.eventKey, { key: keys.eventKey, kind: 'event', ...place });
    if (keys.businessKey !== null) {
      store.dedup.set(keys.businessKey, { key: keys.businessKey, kind: 'business', ...place });
    }
  }
}

function endOf(records: readonly ModelRecord[]): number {
  return (records.at(-1)?.offset ?? 0) + 1;
}
