import { Injectable } from '@nestjs/common';

import { readUnvalidatedEvent } from '#events';
import { eventKeyText, headersOf } from '#events/core';
import { MemberKeys, openWhole, placeKeys } from '#intents';
import type { IdentityPlace } from '#intents/core';
import type { SqlStatement } from '#platform';
import { Database, digest, SealBrokenError } from '#platform';

/** Where a record lies. */
export interface RecordPlace {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** A record that was set aside; nothing of it is personal. */
export interface SetAside {
  readonly id: number;
  readonly reason: string;
  readonly detail: string;
  readonly state: 'open' | 'resubmitted' | 'discarded';
  readonly program: string | null;
  /** The broker's time of the record, epoch ms. */
  readonly brokerAt: number;
}

/** An event as it names itself. */
export interface EventName {
  readonly source: string;
  readonly id: string;
}

/** All intents of a record are recorded in one go, around the one that an identity names. */
const alikeMax = 100;

const findEventStatement: SqlStatement = {
  name: 'find_event',
  isRead: true,
  text: `SELECT lane_id AS "laneId", seq FROM dedup WHERE key = $1 AND kind = 'event'`,
};

const findAlikeStatement: SqlStatement = {
  name: 'find_intents_of_event',
  isRead: true,
  text: `
SELECT i.seq FROM intent f JOIN intent i USING (lane_id, topic, partition, kafka_offset)
WHERE f.lane_id = $1 AND f.seq = $2 AND i.seq BETWEEN f.seq - ${alikeMax} AND f.seq + ${alikeMax} ORDER BY i.seq`,
};

/** The last one set aside: a record is read once, unless its topic was created anew. */
const findSetAsideStatement: SqlStatement = {
  name: 'find_set_aside',
  isRead: true,
  text: `
SELECT quarantine_id AS id, reason, detail, state, program_id AS program, broker_at AS "brokerAt" FROM quarantine
WHERE topic = $1 AND partition = $2 AND kafka_offset <= $3 AND COALESCE(last_offset, kafka_offset) >= $3
ORDER BY kafka_offset DESC, quarantine_id DESC LIMIT 1`,
};

const findOfRecordStatement: SqlStatement = {
  name: 'find_intents_of_record',
  isRead: true,
  text: `
SELECT lane_id AS "laneId", seq FROM dedup WHERE key = ANY ($1::bytea[]) AND kind = 'place' AND seq IS NOT NULL
ORDER BY lane_id, seq`,
};

const findPayloadStatement: SqlStatement = {
  name: 'find_event_of_intent',
  isRead: true,
  text: `
SELECT i.payload, k.wrapped_key AS "wrappedKey"
FROM intent i JOIN member m USING (lane_id) JOIN member_key k USING (lane_id)
WHERE i.lane_id = $1 AND i.seq = $2 AND i.seq > COALESCE(m.erased_seq, 0)`,
};

const findPositionStatement: SqlStatement = {
  name: 'find_read_position',
  isRead: true,
  text: `
SELECT next_offset AS "nextOffset" FROM kafka_offset WHERE topic = $1 AND partition = $2
ORDER BY incarnation DESC, next_offset DESC LIMIT 1`,
};

/** What is known of an event or of its record. */
@Injectable()
export class EventRepository {
  constructor(
    private readonly database: Database,
    private readonly keys: MemberKeys,
  ) {}

  /** Null: no such event was seen. `place` null: it became no intent. */
  async find(event: { readonly source: string; readonly id: string }): Promise<{ place: IdentityPlace | null } | null> {
    const key = digest(eventKeyText(event));
    const { rows } = await this.database.execute<{ laneId: number | null; seq: number | null }>(findEventStatement, [
      key,
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    const { laneId, seq } = row;
    return { place: laneId === null || seq === null ? null : { laneId, seq } };
  }

  /** All that one event became, by the one that its identity names. */
  async alike({ laneId, seq }: IdentityPlace): Promise<readonly IdentityPlace[]> {
    const { rows } = await this.database.execute<{ seq: number }>(findAlikeStatement, [laneId, seq]);
    return rows.map((row) => ({ laneId, seq: row.seq }));
  }

  /** One intent of each lane that a record led to of which a map made events. `at`: the broker's time of it, epoch ms. */
  async ofRecord({ topic, partition, offset }: RecordPlace, at: number): Promise<readonly IdentityPlace[]> {
    const keys = placeKeys({ topic, partition, offset, brokerAt: at });
    return (await this.database.execute<IdentityPlace>(findOfRecordStatement, [keys])).rows;
  }

  /** The event that an intent came of; null once its member is erased, or where it does not open. */
  async nameOf({ laneId, seq }: IdentityPlace): Promise<EventName | null> {
    const { rows } = await this.database.execute<{ payload: Buffer; wrappedKey: Buffer }>(findPayloadStatement, [
      laneId,
      seq,
    ]);
    const [row] = rows;
    if (row === undefined) return null;
    try {
      const { keys } = this;
      const { sourceRecord } = openWhole(keys, { laneId, seq, key: keys.learn(laneId, row.wrappedKey) }, row.payload);
      return nameIn(sourceRecord);
    } catch (error) {
      if (error instanceof SealBrokenError) return null;
      throw error;
    }
  }

  async setAside({ topic, partition, offset }: RecordPlace): Promise<SetAside | null> {
    const { rows } = await this.database.execute<SetAside>(findSetAsideStatement, [topic, partition, offset]);
    return rows[0] ?? null;
  }

  async isRead({ topic, partition, offset }: RecordPlace): Promise<boolean> {
    const { rows } = await this.database.execute<{ nextOffset: number }>(findPositionStatement, [topic, partition]);
    return (rows[0]?.nextOffset ?? 0) > offset;
  }
}

function nameIn({ headers, value }: { readonly headers: string; readonly value: string }): EventName | null {
  const read = readUnvalidatedEvent({ value: Buffer.from(value), headers: headersOf(headers) });
  const { source, id } = read?.attributes ?? {};
  return typeof source === 'string' && typeof id === 'string' ? { source, id } : null;
}
