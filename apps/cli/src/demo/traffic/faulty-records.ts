import type { QuarantineReason } from '#domain';

import { directClub } from '../../dev/programs-text.js';
import type { Chance } from './chance.js';
import type { CloudEvent, Content, Draft } from './draft.js';
import type { Customer, EventWriter } from './event-writer.js';

/** Everything a broken record is made from. */
export interface RecordTools {
  readonly chance: Chance;
  readonly writer: EventWriter;
}

type Reason = Exclude<QuarantineReason, 'conflict' | 'oversized'>;

/** How records go wrong, for every reason but `conflict`, which needs an earlier record, and `oversized`, a batch's. */
const makers: Readonly<Record<Reason, readonly ((sound: CloudEvent) => Content)[]>> = {
  unreadable: [
    () => bytes('{"specversion":"1.0","id":"cut off'),
    () => ({ kind: 'bytes', value: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
    ({ id: _id, ...rest }) => bytes(JSON.stringify({ specversion: '1.0', ...rest })),
    () => bytes('["not", "an", "event"]'),
  ],
  invalid: [
    (sound) => changed(sound, { total: { minor: -100, currency: 'EUR', digits: 2 } }),
    (sound) => changed(sound, { total: { minor: 12.5, currency: 'EUR', digits: 2 } }),
    (sound) => changed(sound, { purchaseId: undefined }),
    (sound) => ({ kind: 'event', event: { ...sound, time: '1999-12-31T23:59:59Z' } }),
  ],
  'unsupported-type': [
    (sound) => ({ kind: 'event', event: { ...sound, type: 'loyalty.purchase.completed.v9' } }),
    (sound) => ({ kind: 'event', event: { ...sound, type: 'loyalty.basket.abandoned.v1' } }),
  ],
  'unknown-program': [(sound) => changed(sound, { program: 'tea-club' })],
  unroutable: [(sound) => changed(sound, { total: { minor: 999, currency: 'USD', digits: 2 } })],
};

export const brokenReasons = Object.keys(makers) as readonly Reason[];

/** A purchase that went wrong on its way, for this reason. */
export function brokenRecord(reason: Reason, { chance, writer }: RecordTools): Draft {
  const stranger = writer.newCustomer(directClub);
  const { content } = writer.purchase(stranger, writer.newPurchase());
  if (content.kind !== 'event') throw new Error('a purchase is an event');
  return {
    topic: 'purchases',
    key: stranger.memberId,
    content: chance.pick(makers[reason])(content.event),
    expectation: { kind: 'quarantined', reason },
    role: reason,
  };
}

/** A reward that the program does not know. */
export function unknownReward({ writer }: RecordTools, customer: Customer): Draft {
  const sound = writer.reward(customer, 'free-coffee');
  if (sound.content.kind !== 'event') throw new Error('a reward is an event');
  const content = changed(sound.content.event, { reward: 'gold-bar' });
  return { ...sound, content, expectation: { kind: 'quarantined', reason: 'unroutable' }, role: 'unroutable' };
}

function changed(event: CloudEvent, data: Readonly<Record<string, unknown>>): Content {
  return { kind: 'event', event: { ...event, data: { ...event.data, ...data } } };
}

function bytes(text: string): Content {
  return { kind: 'bytes', value: Buffer.from(text) };
}

type EventDraft = Draft & { readonly content: Extract<Content, { kind: 'event' }> };

const rememberedMax = 60;

/** Remembers what was emitted lately, to emit it again in the ways producers do. */
export class Repeats {
  private readonly recent: EventDraft[] = [];

  constructor(private readonly chance: Chance) {}

  remember(draft: Draft): void {
    const isOwnEffect = draft.expectation.kind === 'effect' || draft.expectation.kind === 'parked';
    if (draft.content.kind !== 'event' || !isOwnEffect) return;
    this.recent.push({ ...draft, content: draft.content });
    if (this.recent.length > rememberedMax) this.recent.shift();
  }

  /** The same event once more. Null while there is nothing to repeat. */
  sameEvent(): Draft | null {
    const draft = this.pick(() => true);
    return draft && { ...draft, expectation: { kind: 'nothing' }, role: 'duplicate event' };
  }

  /** The same business, told again under a new event id: a till that lost its outbox. Updates have no business key. */
  sameBusiness(newId: string): Draft | null {
    const draft = this.pick(({ role }) => ['enrolled', 'purchase', 'return', 'reward'].includes(role));
    if (draft === null) return null;
    const event = { ...draft.content.event, id: newId };
    return {
      ...draft,
      content: { kind: 'event', event },
      expectation: { kind: 'nothing' },
      role: 'duplicate business',
    };
  }

  /** The same event id over another body. */
  conflictingEvent(): Draft | null {
    return this.conflict((event) => changed(event, { total: otherTotal }));
  }

  /** The same receipt over another amount, under a new event id. */
  conflictingBusiness(newId: string): Draft | null {
    return this.conflict((event) => changed({ ...event, id: newId }, { total: otherTotal }));
  }

  private conflict(change: (event: CloudEvent) => Content): Draft | null {
    const draft = this.pick(({ role }) => role === 'purchase');
    if (draft === null) return null;
    const expectation = { kind: 'quarantined', reason: 'conflict' } as const;
    return { ...draft, content: change(draft.content.event), expectation, role: 'conflict' };
  }

  private pick(condition: (draft: EventDraft) => boolean): EventDraft | null {
    const candidates = this.recent.filter(condition);
    return candidates.length === 0 ? null : this.chance.pick(candidates);
  }
}

/** Larger than any purchase that the writer makes up. */
const otherTotal = { minor: 99_999, currency: 'EUR', digits: 2 };
