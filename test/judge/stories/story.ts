import {
  type Case,
  type Json,
  type JsonObject,
  type LedgerEntry,
  type ListEntry,
  type OperatorAct,
  type PartnerPass,
  type ProgramsFile,
  type SourceRecord,
} from '../case.js';
import { objectOf, textOf } from '../values.js';

/** Stories are built, and mistakes are planted into them: the lines may be replaced, their JSON is replaced whole. */
type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type Draft = Omit<
  Case,
  'programs' | 'records' | 'operators' | 'partner' | 'lists' | 'outcomes' | 'clocksWrongMs'
> & {
  programs: ProgramsFile;
  records: Writable<SourceRecord>[];
  operators: Writable<OperatorAct>[];
  partner: {
    passes: Writable<PartnerPass>[];
    ledger: Writable<LedgerEntry>[];
    others: number[];
    otherPasses: string[];
  };
  lists: Writable<ListEntry>[];
  outcomes: Writable<JsonObject>[];
  clocksWrongMs?: number;
};

export interface Frame {
  readonly id?: string;
  readonly source?: string;
  readonly sequence?: string;
  readonly time?: string;
  readonly partition?: number;
  readonly sentAtMs?: number;
  readonly readByMs?: number;
}

const start = Date.parse('2026-11-21T10:00:00Z');
const topics: { readonly [group: string]: string } = {
  member: 'loyalty.members',
  purchase: 'loyalty.purchases',
  reward: 'loyalty.rewards',
};

export const programs: ProgramsFile = {
  unknownProgram: 'quarantine',
  sources: {
    markets: {
      topics: ['market.receipts'],
      types: ['loyalty.purchase.completed.v1', 'loyalty.purchase.refunded.v1', 'loyalty.purchase.voided.v1'],
      programs: ['coffee'],
    },
  },
  programs: {
    coffee: {
      brandId: '101',
      programId: '2001',
      currency: 'EUR',
      uniqueIdKey: 'memberId',
      templateId: 11,
      update: { via: 'workflow' },
      tiers: { basic: 1, gold: 2 },
      personAttributes: { birthday: 'person.birthDate' },
      ignoreReceipts: { 'attributes.training': true, channel: ['test', 'demo'] },
      purchases: {
        completed: {
          transactionTypeId: '31',
          attributes: { store: 'storeId', receipt: 'purchaseId' },
          uniqueAttribute: 'receipt',
          uniqueEnforced: true,
        },
        refunded: {
          transactionTypeId: '32',
          sign: -1,
          attributes: { receipt: 'refundId', of: 'purchaseId' },
          uniqueAttribute: 'receipt',
          uniqueEnforced: true,
        },
        voided: { via: 'none' },
        corrected: { transactionTypeId: '35', attributes: { correction: 'correctionId' } },
      },
      rewards: { 'free-coffee': { id: '9001', pointsDelta: -10 }, cake: { id: '9002', pointsDelta: 0 } },
    },
    /** Tills that restart their numbers in each store; nothing is unique at the partner; voids are mapped. */
    kiosk: {
      brandId: 102,
      programId: 2101,
      currency: 'JPY',
      update: { via: 'workflow' },
      purchaseKey: ['storeId', 'purchaseId'],
      purchases: {
        completed: { transactionTypeId: 41, attributes: { store: 'storeId', receipt: 'purchaseId' } },
        refunded: { transactionTypeId: 42, attributes: { receipt: 'refundId' } },
        voided: { transactionTypeId: 43, attributes: { receipt: 'purchaseId' } },
      },
      rewards: { ticket: { id: 9101, pointsDelta: 5 } },
      revoked: { via: 'reward', id: 9102, pointsDelta: -5 },
    },
  },
};

const marketTopic = 'market.receipts';

const topicOf = (type: string): string => topics[type.split('.')[0] ?? ''] ?? '';

/** Writes down, step by step, what a shop told, what the partner then held, and what lists and outcomes said. */
export class Story {
  readonly draft: Draft = {
    programs: structuredClone(programs),
    records: [],
    operators: [],
    partner: { passes: [], ledger: [], others: [], otherPasses: [] },
    lists: [],
    outcomes: [],
  };
  #step = 0;

  /** A record that is an event; answers its place. `type` is short: `purchase.completed`. */
  tell(type: string, data: JsonObject, frame: Frame = {}): string {
    const atMs = this.#next();
    const { id = `e-${this.draft.records.length}`, source = '/till', time = new Date(atMs).toISOString() } = frame;
    const { partition = 0, sentAtMs = atMs, readByMs, sequence } = frame;
    const topic = topicOf(type);
    const offset = this.draft.records.filter(({ place }) => place.startsWith(`${topic}/`)).length;
    const place = `${topic}/${partition}/${offset}`;
    const attributes = { specversion: '1.0', id, source, type: `loyalty.${type}.v1`, time, sequence };
    this.draft.records.push({
      place,
      key: textOf(data['memberId']) ?? null,
      headers: { 'content-type': 'application/cloudevents+json' },
      value: { ...attributes, data },
      sentAtMs,
      ...(readByMs === undefined ? {} : { readByMs }),
    });
    return place;
  }

  /** A record in a market's own form, by its source; answers its place. */
  receipt(
    kind: string,
    says: JsonObject,
    { partition = 0, printed }: { partition?: number; printed?: number } = {},
  ): string {
    const atMs = this.#next();
    const offset = this.draft.records.filter(({ place }) => place.startsWith(`${marketTopic}/`)).length;
    const place = `${marketTopic}/${partition}/${offset}`;
    const frame = {
      uuid: `m-${offset}`,
      kind,
      desk: '/market/1',
      printed: printed ?? atMs,
      club: 'coffee',
      card: 'ada',
    };
    this.draft.records.push({ place, key: 'ada', headers: {}, value: { ...frame, ...says }, sentAtMs: atMs });
    return place;
  }

  /** What a receipt's sale or return is at the partner. */
  ofReceipt(place: string, target: string, { amount, attributes }: { amount: Json; attributes: JsonObject }): void {
    const { printed } = this.draft.records.find((one) => one.place === place)?.value as { printed: number };
    const body = { amount, transactionDate: new Date(printed).toISOString(), attributes };
    this.effect('coffee', 'ada', { operation: 'transaction', target, body });
  }

  pass(
    program: string,
    member: string,
    shown: Partial<Omit<PartnerPass, 'passdata'>> & { passdata?: JsonObject } = {},
  ): void {
    const { brandId, programId } = this.#terms(program);
    const { passdata, ...rest } = shown;
    this.draft.partner.passes.push({
      brandId,
      programId,
      passId: passOf(program, member),
      serialNumber: `s-${member}`,
      ...rest,
      passdata: { ...passdata, metaData: metaDataOf(member, passdata) },
    });
  }

  effect(program: string, member: string, call: { operation: string; target?: string; body?: JsonObject }): number {
    const { brandId, programId } = this.#terms(program);
    const atMs = this.#next();
    const seq = this.draft.partner.ledger.length + 1;
    this.draft.partner.ledger.push({
      seq,
      operation: call.operation,
      brandId,
      programId,
      passId: passOf(program, member),
      targetId: call.target ?? null,
      requestId: `r-${seq}`,
      arrivedAtMs: atMs,
      appliedAtMs: atMs,
      body: call.body ?? null,
    });
    return seq;
  }

  /** A transaction; `of` is the place of the record whose time it carries. */
  transaction(
    program: string,
    member: string,
    call: { target: string; of: string; amount: Json; attributes: JsonObject },
  ): number {
    const body = { amount: call.amount, transactionDate: this.timeOf(call.of), attributes: call.attributes };
    return this.effect(program, member, { operation: 'transaction', target: call.target, body });
  }

  list(list: ListEntry['list'], place: string, reason: string | null = null, more: Partial<ListEntry> = {}): void {
    this.draft.lists.push({ list, place, reason, ...more });
  }

  delivered(...places: readonly string[]): void {
    for (const place of places) this.outcome('intent.delivered', place);
  }

  outcome(kind: string, place: string, more: JsonObject = {}): void {
    const record = this.draft.records.find((one) => one.place === place);
    const data = objectOf(objectOf(record?.value)['data']);
    const [topic, partition, offset] = place.split('/');
    this.draft.outcomes.push({
      type: `loyalty.${kind}.v1`,
      data: {
        program: data['program'] ?? null,
        memberId: data['memberId'] ?? null,
        purchaseId: data['purchaseId'] ?? null,
        cause: { topic: topic ?? '', partition: Number(partition), offset: offset ?? '' },
        ...more,
      },
    });
  }

  act(act: OperatorAct['act'], more: Omit<OperatorAct, 'act'>): void {
    this.draft.operators.push({ act, ...more });
  }

  timeOf(place: string): string {
    const record = this.draft.records.find((one) => one.place === place);
    return (record?.value as { time: string }).time;
  }

  nowMs(): number {
    return start + this.#step * 1000;
  }

  #next(): number {
    this.#step += 1;
    return this.nowMs();
  }

  #terms(program: string): { brandId: string; programId: string } {
    const { brandId, programId } = this.draft.programs.programs[program]!;
    return { brandId: String(brandId), programId: String(programId) };
  }
}

const passOf = (program: string, member: string): string => `${program}:${member}`;

const metaDataOf = (member: string, passdata: JsonObject | undefined): JsonObject => ({
  memberId: member,
  ...objectOf(passdata?.['metaData']),
});

export const euro = (minor: number): JsonObject => ({ minor, currency: 'EUR', digits: 2 });
export const yen = (minor: number): JsonObject => ({ minor, currency: 'JPY', digits: 0 });
