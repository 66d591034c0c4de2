import type { SourceTopic } from '../installation/topics.js';

/** What an event, if it is a good one, is to leave at the partner. */
export interface Owed {
  readonly operation: 'issue' | 'issue-via-workflow' | 'transaction';
  readonly program: string;
  readonly memberId: string;
  /** The purchase or refund; null for an enrolment. */
  readonly purchaseId: string | null;
  /** The unique attribute's value at the partner; null where there is none. */
  readonly key: string | null;
  /** Of a transaction, no two alike; null for an enrolment. */
  readonly minor: number | null;
}

/** One record to be produced. */
export interface Emission {
  /** Such as `purchase.completed`, `invalid`, `duplicate`. */
  readonly what: string;
  readonly topic: SourceTopic;
  readonly key: string | null;
  /** Null: a tombstone. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it owes nothing, or what it owes is owed by another already. */
  readonly owed: Owed | null;
}

export const structured = { 'content-type': 'application/cloudevents+json' };

export interface EventFrame {
  readonly id: string;
  readonly type: string;
  readonly time: string;
  readonly sequence?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A structured CloudEvent. */
export function eventBytes({ type, ...frame }: EventFrame): Buffer {
  const event = { specversion: '1.0', source: '/pos/berlin-07/till-3', type: `loyalty.${type}.v1`, ...frame };
  return Buffer.from(JSON.stringify(event));
}

/** The same event in binary mode: attributes as headers, the value is `data`. */
export function binaryMode({ id, type, time, sequence, data }: EventFrame): Pick<Emission, 'value' | 'headers'> {
  return {
    value: Buffer.from(JSON.stringify(data)),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: id,
      ce_source: '/pos/berlin-07/till-3',
      ce_type: `loyalty.${type}.v1`,
      ce_time: time,
      ...(sequence === undefined ? {} : { ce_sequence: sequence }),
    },
  };
}
