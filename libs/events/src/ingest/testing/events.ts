import { parseProgramsFile } from '#contracts';
import { SOURCE_EVENT_SAMPLES, type SourceEventName } from '#events';
import type { FetchedRecord, OutgoingRecord } from '#kafka';
import { digest } from '#platform';
import type { RoutingPrograms } from '../loop/prepare-record.js';

const text = `
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR
    enrolment: { via: issue }
    update: { via: workflow, workflowId: "78" }
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded: { transactionTypeId: "32", sign: -1, attributes: { receipt: refundId, of: purchaseId }, uniqueAttribute: receipt }
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 } }
    eventsMay: { erase: true, merge: true }
`;

/** One program that maps every event but voids and revocations. @param changes what stands there, and what instead */
export function testPrograms(...changes: readonly (readonly [string, string])[]): RoutingPrograms {
  const result = parseProgramsFile(changes.reduce((file, [from, to]) => file.replace(from, to), text));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return { file: result.value, hash: digest(result.canonicalText) };
}

/** What a spec says about an event; the rest is the sample of its type. */
export interface EventSketch {
  readonly id: string;
  readonly name: SourceEventName;
  readonly data?: object;
  readonly frame?: object;
}

const structured = { 'content-type': 'application/cloudevents+json' };

function frameOf({ id, name, data, frame }: EventSketch): object {
  const source = '/pos/berlin-07/till-3';
  const time = '2026-11-21T10:15:04+01:00';
  return {
    specversion: '1.0',
    id,
    source,
    type: name,
    time,
    data: { ...SOURCE_EVENT_SAMPLES[name], ...data },
    ...frame,
  };
}

/** A structured CloudEvent as a Kafka message, keyed by its member. */
export function eventMessage(sketch: EventSketch): OutgoingRecord & { readonly value: string } {
  const data = { ...SOURCE_EVENT_SAMPLES[sketch.name], ...sketch.data };
  return { key: data.memberId, value: JSON.stringify(frameOf(sketch)), headers: structured };
}

/** The same as fetched. */
export function eventRecord(sketch: EventSketch, offset = 0): FetchedRecord {
  const { key, value } = eventMessage(sketch);
  const headers = { 'content-type': Buffer.from(structured['content-type']) };
  return { offset, brokerAt: 1_763_716_504_000, key: Buffer.from(String(key)), value: Buffer.from(value), headers };
}

/** A completed purchase of a member. */
export function purchase(id: string, memberId: string, data: object = {}): OutgoingRecord {
  return eventMessage({
    id,
    name: 'loyalty.purchase.completed.v1',
    data: { memberId, purchaseId: `p-${id}`, ...data },
  });
}
