import type { AskedEffect, LogRecord } from '../history.js';
import type { Chance } from '#shop';
import { modelProgram } from './model-lane.js';

/** What a record says. */
export interface ModelRecord extends LogRecord {
  readonly kind: 'enrolled' | 'updated' | 'purchased' | 'refunded' | 'granted' | 'voided' | 'bad' | 'tombstone';
  /** Identity of what it refers to: the purchase of a refund or a void. */
  readonly refersTo: string | null;
  /** Tells records with one business key apart. */
  readonly content: string;
  readonly asks: AskedEffect | null;
}

const nothingAsked: Omit<AskedEffect, 'operation'> = {
  key: null,
  isEnforced: false,
  target: null,
  content: null,
  pointsDelta: null,
};

/** A till, a web shop and whatever else writes into the topics. */
export class ModelSource {
  readonly log: ModelRecord[] = [];
  private readonly ends = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly chance: Chance,
    private readonly members: number,
  ) {}

  /** What to read at a place. */
  read(partition: { readonly topic: string; readonly partition: number }, from: number, max: number): ModelRecord[] {
    const own = this.log.filter(
      ({ topic, partition: number }) => topic === partition.topic && number === partition.partition,
    );
    return own.filter(({ offset }) => offset >= from).slice(0, max);
  }

  get partitions(): { readonly topic: string; readonly partition: number }[] {
    return ['members', 'purchases', 'rewards'].flatMap((topic) => [0, 1].map((partition) => ({ topic, partition })));
  }

  produce(): void {
    this.count += 1;
    const again = this.chance.happens(0.1)
      ? this.chance.pickAny(this.log.filter(({ eventKey }) => eventKey !== null))
      : undefined;
    if (again !== undefined) this.append(again);
    else this.produceNew();
  }

  private produceNew(): void {
    const member = this.chance.between(1, this.members);
    const memberId = `m-${member}`;
    const kinds = [
      'enrolled',
      'enrolled',
      'updated',
      'purchased',
      'purchased',
      'purchased',
      'granted',
      'refunded',
      'voided',
      'bad',
      'tombstone',
    ] as const;
    const kind = this.chance.pickAny(kinds) ?? 'purchased';
    const eventKey = kind === 'bad' || kind === 'tombstone' ? null : `event ${this.count}`;
    const known = {
      kind,
      eventKey,
      memberId,
      program: modelProgram,
      partition: member % 2,
      incarnation: 1,
      isAcknowledged: true,
    };
    this.append({ ...known, ...this.contentOf(kind, memberId) });
  }

  private contentOf(
    kind: ModelRecord['kind'],
    memberId: string,
  ): Pick<ModelRecord, 'topic' | 'businessKey' | 'refersTo' | 'content' | 'asks' | 'owes'> {
    const number = String(this.count);
    const plain = { businessKey: null, refersTo: null, content: number, asks: null };
    switch (kind) {
      case 'enrolled': {
        const content = `as ${this.chance.between(1, 3)}`;
        return {
          ...plain,
          topic: 'members',
          businessKey: `enrolment ${memberId}`,
          content,
          asks: { ...nothingAsked, operation: 'issue', content },
          owes: 'intent',
        };
      }
      case 'updated':
        return {
          ...plain,
          topic: 'members',
          asks: { ...nothingAsked, operation: 'update-via-workflow', target: '78', content: `to ${number}` },
          owes: 'intent',
        };
      case 'purchased':
        return {
          ...plain,
          topic: 'purchases',
          businessKey: `purchase ${number}`,
          asks: this.purchase(number),
          owes: 'intent',
        };
      case 'refunded': {
        const asks: AskedEffect = {
          ...nothingAsked,
          operation: 'transaction',
          key: `refund ${number}`,
          isEnforced: true,
          target: '32',
          content: '-1',
        };
        return {
          ...plain,
          topic: 'purchases',
          businessKey: `refund ${number}`,
          refersTo: this.purchaseOf(memberId),
          asks,
          owes: 'intent',
        };
      }
      case 'voided':
        return { ...plain, topic: 'purchases', refersTo: this.purchaseOf(memberId), owes: 'anything' };
      case 'granted':
        return {
          ...plain,
          topic: 'rewards',
          businessKey: `grant ${number}`,
          asks: { ...nothingAsked, operation: 'reward', target: '9001', pointsDelta: -10 },
          owes: 'intent',
        };
      case 'bad':
        return { ...plain, topic: 'purchases', owes: 'quarantine' };
      case 'tombstone':
        return { ...plain, topic: 'purchases', owes: 'nothing' };
    }
  }

  /** Now and then a till uses a receipt again that another one has used. */
  private purchase(number: string): AskedEffect {
    const isPlain = this.chance.happens(0.3);
    const used = this.chance.happens(0.15) ? String(this.chance.between(1, this.count)) : number;
    const transaction = {
      ...nothingAsked,
      operation: 'transaction' as const,
      content: `${this.chance.between(1, 3)}.00`,
    };
    return isPlain
      ? { ...transaction, target: '33' }
      : { ...transaction, key: `receipt ${used}`, isEnforced: true, target: '31' };
  }

  private purchaseOf(memberId: string): string | null {
    const own = this.log.filter((record) => record.kind === 'purchased' && record.memberId === memberId);
    return this.chance.pickAny(own)?.businessKey ?? null;
  }

  private append(record: Omit<ModelRecord, 'offset'>): void {
    const name = `${record.topic}/${record.partition}`;
    const offset = this.ends.get(name) ?? 0;
    this.ends.set(name, offset + 1);
    this.log.push({ ...record, offset });
  }
}
