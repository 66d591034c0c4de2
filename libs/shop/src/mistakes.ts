import type { Chance } from './chance.js';
import type { CloudEvent, Content, Sent, SetAside, Topic } from './event.js';

const nestingDepth = 200;

const bytes = (text: string): Content => ({ kind: 'bytes', value: Buffer.from(text) });
const event = (changed: CloudEvent): Content => ({ kind: 'event', event: changed });

function saying(sound: CloudEvent, data: Readonly<Record<string, unknown>>): CloudEvent {
  return { ...sound, data: { ...sound.data, ...data } };
}

function grant(sound: CloudEvent, data: Readonly<Record<string, unknown>>): Content {
  const { program } = sound.data;
  return event({ ...sound, type: 'loyalty.reward.granted.v1', data: { program, grantId: sound.id, ...data } });
}

type Mistake = readonly [reason: SetAside, spoil: (sound: CloudEvent) => Content];

/** How a purchase goes wrong on its way to us; nobody can use any of these, and none may hold up what comes behind it. */
const mistakes: readonly Mistake[] = [
  // One of each reason comes first: where they come in turn, a short run has seen them all.
  ['unreadable', () => bytes('{"specversion":"1.0","id":"cut off')],
  ['invalid', (sound) => event(saying(sound, { total: { minor: -100, currency: 'EUR', digits: 2 } }))],
  ['unsupported-type', (sound) => event({ ...sound, type: 'loyalty.purchase.completed.v9' })],
  ['unknown-program', (sound) => event(saying(sound, { program: 'milk-club' }))],
  ['unroutable', (sound) => event(saying(sound, { total: { minor: 999, currency: 'USD', digits: 2 } }))],
  ['unreadable', () => ({ kind: 'bytes', value: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) })],
  ['invalid', (sound) => event(saying(sound, { total: { minor: 12.5, currency: 'EUR', digits: 2 } }))],
  ['unsupported-type', (sound) => event({ ...sound, type: 'loyalty.basket.abandoned.v1' })],
  ['unroutable', (sound) => grant(sound, { memberId: sound.data['memberId'], reward: 'yacht' })],
  ['unreadable', ({ id: _id, ...rest }) => bytes(JSON.stringify({ specversion: '1.0', ...rest }))],
  ['invalid', (sound) => event(saying(sound, { purchaseId: undefined }))],
  ['unreadable', () => bytes('["not", "an", "event"]')],
  ['invalid', (sound) => event({ ...sound, time: '1999-12-31T23:59:59Z' })],
  ['unreadable', () => bytes(`${'['.repeat(nestingDepth)}${']'.repeat(nestingDepth)}`)],
  ['invalid', (sound) => grant(sound, { reward: 'free-coffee' })],
];

const topics: readonly Topic[] = ['members', 'purchases', 'rewards'];
const readable: ReadonlySet<SetAside> = new Set(['unknown-program', 'unroutable']);
const ownTopic = ({ type }: CloudEvent): Topic => (type.includes('loyalty.reward.') ? 'rewards' : 'purchases');

/** Spoils events: each mistake in its turn, or by chance. */
export class Mistakes {
  private turn = -1;

  constructor(
    private readonly chance: Chance,
    private readonly takesTurns: boolean,
  ) {}

  /** A record that nobody can use, anywhere: some have no key. @param sound of nobody, and told nowhere else */
  spoil(sound: Sent): Sent {
    if (sound.content.kind !== 'event') throw new Error('only an event is spoilt');
    this.turn = this.takesTurns ? (this.turn + 1) % mistakes.length : this.chance.below(mistakes.length);
    const [setAside, spoil] = mistakes[this.turn] ?? this.chance.pick(mistakes);
    const key = this.chance.happens(0.5) ? sound.key : null;
    const content = spoil(sound.content.event);
    const anywhere = this.chance.pick(topics);
    // What can be read is refused for its content by its own topic alone.
    const topic = content.kind === 'event' && readable.has(setAside) ? ownTopic(content.event) : anywhere;
    return { topic, key, content, name: null, part: 'useless', fate: { setAside } };
  }
}

/** The till's price is text, as an old version of it has it: set aside, and sent again when the till is mended. */
export function inWrongForm(sound: Sent): Sent {
  if (sound.content.kind !== 'event') throw new Error('only an event has a form');
  const { content, ...rest } = sound;
  const wrong = saying(content.event, { total: { minor: '59,99', currency: 'EUR' } });
  return { ...rest, content: event(wrong), part: 'useless', fate: { setAside: 'invalid' } };
}

type SentEvent = Sent & { readonly content: Extract<Content, { kind: 'event' }> };

const rememberedMax = 3_000;
/** What has a number of its own, by which it is known under any event id. */
const numbered = ['member.enrolled', 'purchase.completed', 'purchase.refunded', 'reward.granted'];
/** What the same number at another time may be another one of. */
const dated = ['purchase.completed', 'purchase.refunded', 'reward.granted'];
const takesBack = ['purchase.voided', 'reward.revoked'];
/** Larger than any total of a shop. */
const otherTotal = { minor: 99_999_999, currency: 'EUR', digits: 2 };

/** Remembers what was sent lately, to send it again in the ways in which producers do. */
export class Repeats {
  private readonly recent: SentEvent[] = [];

  constructor(private readonly chance: Chance) {}

  remember(sent: Sent): void {
    if (sent.content.kind !== 'event' || sent.part !== null) return;
    this.recent.push({ ...sent, content: sent.content });
    if (this.recent.length > rememberedMax) this.recent.shift();
  }

  /** The same event once more. Null while there is nothing to repeat. */
  same(): Sent | null {
    const sent = this.pick(() => true);
    return sent && { ...sent, part: 'duplicate', fate: 'open' };
  }

  /** The same, told under a new event id: a till that lost its outbox. */
  anew(id: string): Sent | null {
    const sent = this.pick(({ name }) => [...numbered, ...takesBack].includes(name ?? ''));
    return sent && { ...told(sent, { id }), part: 'told-anew', fate: 'open' };
  }

  /** The same, with the time of now, under the event id that it had or another: then a receipt or a grant may be another one. */
  later(now: CloudEvent): Sent | null {
    const isNew = this.chance.happens(0.5);
    const sent = this.pick(({ name }) => !isNew || [...numbered, ...takesBack].includes(name ?? ''));
    if (sent === null) return null;
    if (!isNew) return { ...told(sent, { time: now.time }), part: 'duplicate', fate: 'open' };
    const part = dated.includes(sent.name ?? '') ? 'conflict' : 'told-anew';
    return { ...told(sent, { id: now.id, time: now.time }), part, fate: 'open' };
  }

  /** Something else under the id of an event, or under the number of a purchase. */
  conflict(id: string): Sent | null {
    const isOfEvent = this.chance.happens(0.5);
    const sent = this.pick(({ name }) => name === 'purchase.completed');
    if (sent === null) return null;
    const data = { ...sent.content.event.data, total: otherTotal };
    return { ...told(sent, isOfEvent ? { data } : { id, data }), part: 'conflict', fate: 'open' };
  }

  private pick(condition: (sent: SentEvent) => boolean): SentEvent | null {
    const candidates = this.recent.filter(condition);
    return this.chance.pickAny(candidates) ?? null;
  }
}

function told(sent: SentEvent, change: Partial<CloudEvent>): SentEvent {
  return { ...sent, content: { kind: 'event', event: { ...sent.content.event, ...change } } };
}
