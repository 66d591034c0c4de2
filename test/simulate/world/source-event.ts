import type { BusinessKey } from '#domain';
import { businessKeyText, eventKeyText } from '#domain';
import { digest } from '#platform';

import type { ProducedRecord, RecordFacts } from '../kafka/broker.js';

export const topics = {
  members: 'loyalty.members',
  purchases: 'loyalty.purchases',
  rewards: 'loyalty.rewards',
} as const;

/** An event as a till or a shop would send it. */
export interface EventSketch {
  readonly topic: keyof typeof topics;
  /** `purchase.completed` */
  readonly type: string;
  readonly id: string;
  readonly program: string;
  readonly memberId: string;
  readonly data: object;
  readonly owes: RecordFacts['owes'];
  readonly business?: { readonly scope: BusinessKey['scope']; readonly part: string };
}

const source = '/pos/sim/till-1';
const headers = { 'content-type': Buffer.from('application/cloudevents+json') };
const hex = (text: string): string => Buffer.from(digest(text)).toString('hex');

function businessKeyOf({ program, business }: EventSketch): string | null {
  if (business === undefined) return null;
  const key = { scope: business.scope, parts: [business.part], perGeneration: business.scope === 'enrolment' };
  return hex(businessKeyText({ program, key, generation: 1 }));
}

/** The record of an event that happens now. */
export function recordOf(sketch: EventSketch, nowMs: number): ProducedRecord {
  const { topic, type, id, program, memberId, data, owes } = sketch;
  const event = {
    specversion: '1.0',
    id,
    source,
    type: `loyalty.${type}.v1`,
    time: new Date(Math.floor(nowMs)).toISOString(),
    data: { program, memberId, ...data },
  };
  return {
    topic: topics[topic],
    key: memberId,
    value: Buffer.from(JSON.stringify(event)),
    headers,
    label: `${type} ${id}`,
    facts: { program, memberId, eventKey: hex(eventKeyText({ source, id })), businessKey: businessKeyOf(sketch), owes },
  };
}

/** A record that says nothing that can be understood, or nothing at all. */
export function uselessRecord(topic: keyof typeof topics, kind: 'garbage' | 'tombstone', key: string): ProducedRecord {
  const isGarbage = kind === 'garbage';
  return {
    topic: topics[topic],
    key,
    value: isGarbage ? Buffer.from('{"specversion":') : null,
    headers,
    label: kind,
    facts: {
      program: null,
      memberId: null,
      eventKey: null,
      businessKey: null,
      owes: isGarbage ? 'quarantine' : 'nothing',
    },
  };
}
