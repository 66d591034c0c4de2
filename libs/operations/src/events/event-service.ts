import { Injectable } from '@nestjs/common';

import type { EventStatus } from '#contracts';
import type { IdentityPlace } from '#intents/core';
import { intentId } from '#intents';

import type { Operator, Producer } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { IntentRepository } from '../intents/list-intents.js';
import { isShownId } from '../masking/shown-documents.js';
import { isoTime } from '../requests/read-request.js';
import type { RecordPlace, SetAside } from './event-repository.js';
import { EventRepository } from './event-repository.js';

/** Where the records of sources go that come by HTTP. */
export abstract class SourceTopics {
  /** @param source by its name @returns null: there is none, or it has no topic that the door writes to */
  abstract topicOf(source: string): string | null;
}

/** Who asks: one of the two. */
export interface AskedBy {
  readonly operator: Operator | null;
  readonly producer: Producer | null;
}

/** `PARTITION-OFFSET`, and the time of the record, epoch ms. */
const receiptPattern = /^(\d{1,9})-(\d{1,15})(?:-(\d{1,15}))?$/;

interface ReadReceipt {
  readonly place: RecordPlace;
  /** Null: it says none. */
  readonly at: number | null;
}

/** A record holds 50 events at most, most of which lead to one intent. */
const intentsShownMax = 100;

const notSeen: EventStatus = { state: 'not-seen', place: null, intents: [], quarantine: null };

/** What became of an event. Whoever may not know of it is answered as if it had never been sent. */
@Injectable()
export class EventService {
  constructor(
    private readonly events: EventRepository,
    private readonly intents: IntentRepository,
    private readonly topics: SourceTopics,
  ) {}

  /**
   * @param source the event's own, or the name of the source by which its record came
   * @param id the event's own, or the receipt of its record
   */
  async status(source: string, id: string, by: AskedBy): Promise<EventStatus> {
    const found = await this.events.find({ source, id });
    if (found !== null) return this.recorded(found.place, by);
    const receipt = this.receiptOf(source, id, by);
    return receipt === null ? notSeen : this.ofRecord(receipt, by);
  }

  private receiptOf(source: string, id: string, { producer }: AskedBy): ReadReceipt | null {
    const [, partition, offset, at] = receiptPattern.exec(id) ?? [];
    if (partition === undefined || producer?.sources.includes(source) === false) return null;
    const topic = this.topics.topicOf(source);
    if (topic === null) return null;
    const place = { topic, partition: Number(partition), offset: Number(offset) };
    return { place, at: at === undefined ? null : Number(at) };
  }

  private async recorded(named: IdentityPlace | null, by: AskedBy): Promise<EventStatus> {
    // What became no intent names neither topic nor program by which it could be told whose it is.
    if (named === null) {
      return by.producer === null && by.operator?.programs === null ? { ...notSeen, state: 'read' } : notSeen;
    }
    return this.withIntents([named], by);
  }

  /** @param named one intent of each lane */
  private async withIntents(named: readonly IdentityPlace[], by: AskedBy): Promise<EventStatus> {
    const places = (await Promise.all(named.map((each) => this.events.alike(each)))).flat().slice(0, intentsShownMax);
    const lists = await Promise.all(
      places.map(({ laneId, seq }) =>
        this.intents.list({ filter: { laneId, seq }, programs: null, after: null, limit: 1 }),
      ),
    );
    const intents = lists.flatMap(({ items }) => items).filter((intent) => this.isTold(intent, by));
    const [first] = intents;
    if (first === undefined) return notSeen;
    const { topic, partition, offset } = first;
    return {
      state: 'recorded',
      place: { topic, partition, offset },
      intents: await Promise.all(intents.map((intent) => this.toView(intent, by))),
      quarantine: null,
    };
  }

  private isTold({ program, topic }: ListedIntent, { operator, producer }: AskedBy): boolean {
    if (producer === null) return maySee(operator?.programs ?? null, program);
    return producer.sources.some((source) => this.topics.topicOf(source) === topic);
  }

  private async ofRecord({ place, at }: ReadReceipt, by: AskedBy): Promise<EventStatus> {
    const setAside = await this.events.setAside(place);
    const recorded = await this.recordedFrom(place, { at: at ?? setAside?.brokerAt, by });
    const quarantine = setAside === null ? null : asideView(setAside, by);
    if (recorded?.state === 'recorded') return { ...recorded, quarantine };
    if (quarantine !== null) return { state: 'set-aside', place, intents: [], quarantine };
    // What is somebody else's is not told apart from what was never sent.
    const isOthers = setAside !== null || recorded !== null;
    return isOthers ? { ...notSeen, place } : this.withoutTrace(place, by);
  }

  private async withoutTrace(place: RecordPlace, { operator }: AskedBy): Promise<EventStatus> {
    const isLimited = (operator?.programs ?? null) !== null;
    const isRead = !isLimited && (await this.events.isRead(place));
    return { ...notSeen, place, state: isRead ? 'read' : 'not-seen' };
  }

  /** Null: no intent came of the record, or its time is not known. */
  private async recordedFrom(
    place: RecordPlace,
    { at, by }: { readonly at: number | undefined; readonly by: AskedBy },
  ): Promise<EventStatus | null> {
    const named = at === undefined ? [] : await this.events.ofRecord(place, at);
    return named.length === 0 ? null : this.withIntents(named, by);
  }

  private async toView(intent: ListedIntent, { producer }: AskedBy): Promise<EventStatus['intents'][number]> {
    const { operation, eventType, status, recordedAt } = intent;
    const event = await this.events.nameOf(intent);
    return {
      id: producer === null ? intentId(intent) : null,
      event: event !== null && isShownId(event.id) ? event : null,
      ...{ operation, eventType, status, recordedAt: isoTime(recordedAt) },
    };
  }
}

/** Null: it is somebody else's. */
function asideView(
  { id, reason, detail, state, program }: SetAside,
  { producer, operator }: AskedBy,
): EventStatus['quarantine'] {
  if (!maySee(operator?.programs ?? null, program)) return null;
  return { id: producer === null ? id : null, reason, detail, state };
}
