import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { StatsView } from '#contracts';
import { StatusRepository } from '#operations';
import type { CloudEvent, Content, Topic } from '#shop';
import { encode } from '#shop';

import type { DevStack } from '../dev/dev-stack.js';
import type { Club } from '../dev/programs-text.js';
import { programsText } from '../dev/programs-text.js';
import type { EmittedRecord } from './audit.js';
import type { EventProducer } from './event-producer.js';

const coffeeMembers = 14;
const bookMembers = 6;
const doubtedRewards = 3;
const lostAnswers = 3;
const pollMs = 200;
/** A machine that is slower than this shows fewer problems, and that is all. */
const waitMsMax = 20_000;
const requestTimeoutMs = 30_000;
/** Of a pause that the demo lifts by itself: meanwhile it holds some hundreds of intents. */
export const pauseMsMax = 300_000;
/** More than the hour after which an event is late. */
const lateMs = 2 * 3_600_000;
/** Long enough to be looked at. */
const missingPassWaitMs = 3_600_000;
const inFlightMs = 3_000;

interface Told {
  readonly topic: Topic;
  readonly type: string;
  readonly id: string;
  readonly memberId: string;
  readonly program: string;
  readonly storeId?: string;
  /** How long ago it happened; none: just now. */
  readonly agoMs?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

const membersOf = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}-${4_101 + index}`);
const coffee = membersOf('K', coffeeMembers);
const books = membersOf('B', bookMembers);

const enrolled =
  (program: Club) =>
  (memberId: string): Told => {
    const person = { firstName: 'Ada', lastName: 'Lovelace', email: `${memberId.toLowerCase()}@example.org` };
    return {
      topic: 'members',
      type: 'member.enrolled',
      id: 'E',
      memberId,
      program,
      data: { person, pass: { points: 0 } },
    };
  };

interface Bought {
  readonly program: string;
  readonly storeId: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

const bought =
  ({ program, storeId, attributes = {} }: Bought, round: string) =>
  (memberId: string, index: number): Told => {
    const total = { minor: 390 + 120 * index, currency: 'EUR', digits: 2 };
    const data = { purchaseId: `R${round}-${memberId}`, channel: 'pos', storeId, total, lines: [], attributes };
    return { topic: 'purchases', type: 'purchase.completed', id: `P${round}`, memberId, program, storeId, data };
  };

const granted = (memberId: string): Told => {
  const data = { grantId: `G-${memberId}`, reward: 'birthday-card' };
  return { topic: 'rewards', type: 'reward.granted', id: 'G', memberId, program: 'book-club', data };
};

const moved = (memberId: string, points: number): Told => {
  const data = { changed: ['pass.points'], pass: { points } };
  return { topic: 'members', type: 'member.updated', id: `U${points}`, memberId, program: 'coffee-club', data };
};

const halfWritten: Content = { kind: 'bytes', value: Buffer.from('{"specversion":"1.0","id":"till 7 lost power he') };

const pausedScope = { program: 'book-club', operation: 'transaction' } as const;

/** What has been made, and where it is seen. */
export const troublesMade: readonly string[] = [
  `Failures: ${coffeeMembers} purchases of store hamburg that the partner refuses, ${doubtedRewards} rewards whose answer never came; ${lostAnswers} purchases are unknown, their program is paused.`,
  'Quarantine: half a record, and a purchase for tea-club, which is nobody’s. Producers: a late, a repeated and an overtaken event.',
  'Members: K-4199 is waited for, and a purchase with it; the answer to K-4102’s last purchase was lost, and its receipt has proved it since.',
];

/**
 * What an operator would be woken by, once each: a store whose tills send what the partner refuses, answers that never
 * came, a pause that an operator has set, unusable records, tills that were off for hours, a member who was never
 * enrolled.
 */
export class Troubles {
  /** All that was sent so far. */
  readonly sent: EmittedRecord[] = [];

  constructor(
    private readonly stack: DevStack,
    private readonly producer: EventProducer,
    private readonly signal: AbortSignal,
  ) {}

  /** Begins them, one after another, and leaves them. Ends early when it is stopped. */
  async make(): Promise<void> {
    const steps = [
      () => this.rememberLonger(),
      () => this.tell([...coffee.map(enrolled('coffee-club')), ...books.map(enrolled('book-club'))]),
      () => this.settled(),
      () => this.mixUps(),
      () => this.refusals(),
      () => this.provenByReceipt(),
      () => this.doubts(),
      () => this.pause(),
      () => this.uselessRecords(),
    ];
    for (const step of steps) if (!this.signal.aborted) await step();
  }

  /** Where traffic continues, the pause ends after a while, unless it was lifted before. */
  async resumeLater(afterMs = pauseMsMax): Promise<void> {
    await this.pass(afterMs);
    if (this.signal.aborted) return;
    const body = { ...pausedScope, reason: 'The partner has called: its ledger has moved' };
    await this.ask(`${this.stack.daemon.operations}/api/v1/pauses`, { method: 'DELETE', body }).catch(() => undefined);
  }

  /** A member who was never enrolled is waited for longer than the demo does. */
  private async rememberLonger(): Promise<void> {
    await writeFile(this.stack.folder.programsFile, programsText({ inFlightMs, missingPassWaitMs }));
    await this.act('/reload', { reason: 'members are waited for an hour' });
    await this.tell([bought({ program: 'coffee-club', storeId: 'wien' }, '1')('K-4199', 2)]);
  }

  /** A till that was off for two hours, one that says it twice, and one whose older word comes after the newer. */
  private async mixUps(): Promise<void> {
    const [first = '', second = '', third = ''] = coffee;
    const sale = bought({ program: 'coffee-club', storeId: 'wien' }, '6');
    await this.tell([{ ...sale(first, 0), agoMs: lateMs }, sale(second, 1), sale(second, 1)]);
    await this.tell([moved(third, 20)]);
    await this.tell([{ ...moved(third, 10), agoMs: missingPassWaitMs / 2 }]);
    await this.settled();
  }

  /** The answer is lost; sent again, the partner says that it has this receipt. */
  private async provenByReceipt(): Promise<void> {
    await this.faults([{ operation: 'transaction', kind: 'drop-after', count: 1 }]);
    await this.tell(coffee.slice(1, 2).map(bought({ program: 'coffee-club', storeId: 'wien' }, '7')));
    await this.settled();
  }

  /** The tills of one store have a new release: they send a number where the partner wants words. */
  private async refusals(): Promise<void> {
    const store = { program: 'coffee-club', storeId: 'hamburg', attributes: { campaign: 2_026 } };
    await this.tell(coffee.map(bought(store, '2')));
    await this.settled();
  }

  /** The partner does what is asked, and the line breaks before it can say so. */
  private async doubts(): Promise<void> {
    await this.faults([
      { operation: 'reward', kind: 'drop-after', count: doubtedRewards },
      // Until they are paused: sent again and answered, each would be proven.
      { operation: 'transaction', kind: 'drop-after' },
    ]);
    await this.tell(books.slice(0, doubtedRewards).map(granted));
    await this.settled();
    await this.tell(books.slice(0, lostAnswers).map(bought({ program: 'book-club', storeId: 'paris' }, '3')));
    await this.until(async () => (await new StatusRepository(this.stack.database).count()).unknown >= lostAnswers);
  }

  private async pause(): Promise<void> {
    const reason = 'The partner moves its ledger tonight: no transactions until they call';
    await this.act('/pauses', { ...pausedScope, reason });
    await this.faults([]);
    // The others' rewards are answered again: a partner that seems to be away would be one problem more.
    await this.tell(books.slice(doubtedRewards).map(granted));
    await this.partnerAnswers();
    await this.tell(books.map(bought({ program: 'book-club', storeId: 'berlin' }, '4')));
  }

  private async uselessRecords(): Promise<void> {
    await this.send([{ topic: 'purchases', key: 'K-4102', content: halfWritten }]);
    await this.tell([bought({ program: 'tea-club', storeId: 'wien' }, '5')('T-1', 1)]);
  }

  private tell(told: readonly Told[]): Promise<void> {
    return this.send(told.map((each) => ({ topic: each.topic, key: each.memberId, content: contentOf(each) })));
  }

  private async send(
    records: readonly { readonly topic: Topic; readonly key: string; readonly content: Content }[],
  ): Promise<void> {
    const fixed = { expectation: { kind: 'nothing' }, role: 'trouble', other: null } as const;
    const sent = await this.producer.send(
      records.map((record) => ({ draft: { ...record, ...fixed }, encoded: encode(record.content, 'structured') })),
    );
    this.sent.push(...sent);
  }

  /** Until nothing more happens by itself: one member is still waited for. */
  private async settled(): Promise<void> {
    await this.pass(pollMs * 5);
    await this.until(async () => (await new StatusRepository(this.stack.database).countWork()).openLanes <= 1);
  }

  private async partnerAnswers(): Promise<void> {
    await this.until(async () => {
      const { partner } = (await this.ask(`${this.stack.daemon.operations}/api/v1/stats`, {
        method: 'GET',
      })) as StatsView;
      return partner.every(({ breaker }) => breaker === 'closed');
    });
  }

  private async until(isThere: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + waitMsMax;
    while (!this.signal.aborted && performance.now() < deadline && !(await isThere())) await this.pass(pollMs);
  }

  private async pass(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }

  private async faults(rules: readonly object[]): Promise<void> {
    await this.ask(`${this.stack.sandbox.authUrl}/__faults`, { method: 'PUT', body: { rules } });
  }

  private async act(path: string, body: object): Promise<void> {
    await this.ask(`${this.stack.daemon.operations}/api/v1${path}`, { method: 'POST', body });
  }

  private async ask(
    url: string,
    { method, body }: { readonly method: string; readonly body?: object },
  ): Promise<unknown> {
    const answer = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.stack.operatorToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

function contentOf({ type, id, memberId, program, storeId, agoMs = 0, data }: Told): Content {
  const event: CloudEvent = {
    id: `${id}-${memberId}`,
    source: storeId === undefined ? '/web-shop' : `/pos/${storeId}/till-2`,
    type: `loyalty.${type}.v1`,
    time: new Date(Date.now() - agoMs).toISOString(),
    data: { program, memberId, ...data },
  };
  return { kind: 'event', event };
}
