import { Injectable } from '@nestjs/common';

import type { EventStatus } from '#contracts';
import type { IdentityPlace } from '#intents/core';
import { intentId } from '#intents';

import type { Operator, Producer } from '../access/operator.js';
import { maySee } from '../access/operator.js';
import type { ListedIntent } from '../intents/list-intents.js';
import { IntentRepository } from '../intents/list-intents.js';
import { isoTime } from '../requests/read-request.js';
import type { RecordPlace } from './event-repository.js';
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

const receiptPattern = /^(\d{1,9})-(\d{1,15})$/;

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
    const place = this.placeOf(source, id, by);
    return place === null ? notSeen : this.ofRecord(place, by);
  }

  private placeOf(source: string, id: string, { producer }: AskedBy): RecordPlace | null {
    const [, partition, offset] = receiptPattern.exec(id) ?? [];
    if (partition === undefined || producer?.sources.includes(source) === false) return null;
    const topic = this.topics.topicOf(source);
    return topic === null ? null : { topic, partition: Number(partition), offset: Number(offset) };
  }

  private async recorded(named: IdentityPlace | null, by: AskedBy): Promise<EventStatus> {
    // What became no intent names neither topic nor program by which it could be told whose it is.
    if (named === null) {
      return by.producer === null && by.operator?.programs === null ? { ...notSeen, state: 'read' } : notSeen;
    }
    const places = await this.events.alike(named);
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
      intents: intents.map((intent) => toView(intent, by)),
      quarantine: null,
    };
  }

  private isTold({ program, topic }: ListedIntent, { operator, producer }: AskedBy): boolean {
    if (producer === null) return maySee(operator?.programs ?? null, program);
    return producer.sources.some((source) => this.topics.topicOf(source) === topic);
  }

  private async ofRecord(place: RecordPlace, { operator, producer }: AskedBy): Promise<EventStatus> {
    const [setAside, isRead] = await Promise.all([this.events.setAside(place), this.events.isRead(place)]);
    const limit = operator?.programs ?? null;
    if (setAside === null) return { ...notSeen, place, state: isRead && limit === null ? 'read' : 'not-seen' };
    if (!maySee(limit, setAside.program)) return { ...notSeen, place };
    const { id, reason, detail, state } = setAside;
    const quarantine = { id: producer === null ? id : null, reason, detail, state };
    return { state: 'set-aside', place, intents: [], quarantine };
  }
}

function toView(intent: ListedIntent, { producer }: AskedBy): EventStatus['intents'][number] {
  const { operation, eventType, status, recordedAt } = intent;
  return {
    id: producer === null ? intentId(intent) : null,
    ...{ operation, eventType, status, recordedAt: isoTime(recordedAt) },
  };
}
