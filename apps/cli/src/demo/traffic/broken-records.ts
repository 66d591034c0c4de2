import type { QuarantineReason } from '#domain';

import { directClub } from '../../house/programs-text.js';
import type { Chance } from './chance.js';
import type { CloudEvent, Content, Draft } from './draft.js';
import type { EventWriter } from './event-writer.js';
import type { Customer } from './shop.js';

/** Everything a broken record is made from. */
export interface Workshop {
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
export function brokenRecord(reason: Reason, { chance, writer }: Workshop): Draft {
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
export function unknownReward({ writer }: Workshop, customer: Customer): Draft {
  const sound = writer.reward(customer, 'free-coffee');
  if (sound.content.kind !== 'event') throw new Error('a reward is an event');
  const content = changed(sound.content.event, { reward: 'gold-bar' });
  return { ...sound, content, expectation: { kind: 'quarantined', reason: 'unroutable' }, role: 'unroutable' };
}

export function changed(event: CloudEvent, data: Readonly<Record<string, unknown>>): Content {
  return { kind: 'event', event: { ...event, data: { ...event.data, ...data } } };
}

function bytes(text: string): Content {
  return { kind: 'bytes', value: Buffer.from(text) };
}
