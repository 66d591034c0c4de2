import fc from 'fast-check';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import { nobody } from '#intents/core';
import { decodeSourceRecord } from './source-events.js';
import { SOURCE_EVENT_SAMPLES, type SourceEvent, routeSourceEvent } from './source-events.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const files = [
  PROGRAMS_FILE_EXAMPLE,
  PROGRAMS_FILE_EXAMPLE.replace(/update: {4}\{.*/, 'update: { via: none }'),
  PROGRAMS_FILE_EXAMPLE.replace('purchaseKey: [purchaseId]', 'purchaseKey: [storeId, purchaseId, attributes.till]')
    .replace('receipt: purchaseId', 'receipt: { join: [storeId, purchaseId, attributes.till] }')
    .replace('receipt: refundId', 'receipt: { join: [storeId, refundId, attributes.till] }'),
  PROGRAMS_FILE_EXAMPLE.replace(/voided:.*/, 'voided: { transactionTypeId: 33, attributes: { of: purchaseId } }'),
].map((text) => {
  const parsed = parseProgramsFile(text);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
});

const fields = [
  'memberId',
  'tier',
  'person',
  'pass',
  'metaData',
  'changed',
  'total',
  'attributes',
  'storeId',
  'reward',
];
const changedPath = fc.constantFrom('tier', 'pass', 'person.email', 'metaData', 'metaData.a', 'pass.points', 'x.y', '');
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('m_1', 'gold', null),
  fc.array(changedPath, { maxLength: 4 }),
  fc.dictionary(
    fc.constantFrom('points', 'email', 'memberId', 'a', 'till', '__proto__'),
    fc.jsonValue({ maxDepth: 1 }),
  ),
  fc.record({ minor: fc.maxSafeNat(), currency: fc.constantFrom('EUR', 'USD') }),
);

function decode(type: string, data: unknown): SourceEvent | null {
  const frame = { specversion: '1.0', id: 'e', source: '/s', type, time: '2026-11-21T10:15:04Z', data };
  const headers = { 'content-type': 'application/cloudevents+json' };
  const decoded = decodeSourceRecord({ value: Buffer.from(JSON.stringify(frame)), headers, now });
  return decoded.kind === 'event' ? decoded.event : null;
}

/** Any event that the decoder lets through. */
const event = fc
  .record({
    sample: fc.constantFrom(...Object.entries(SOURCE_EVENT_SAMPLES)),
    changes: fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 }),
  })
  .map(({ sample: [type, data], changes }) => decode(type, { ...data, ...changes }))
  .filter((decoded) => decoded !== null);

describe('routing any valid event', () => {
  it('never throws, is deterministic and leaves the event alone', () => {
    fc.assert(
      fc.property(event, fc.constantFrom(...files), (given, file) => {
        const before = JSON.stringify(given);
        const route = routeSourceEvent(given, file);
        expect(routeSourceEvent(structuredClone(given), file)).toEqual(route);
        expect(JSON.stringify(given)).toBe(before);
        expect(['routed', 'ignored', 'quarantine']).toContain(route.kind);
      }),
      { numRuns: 500 },
    );
  });

  it('gives every intent either a call or a reason to be parked, and always the same member', () => {
    fc.assert(
      fc.property(event, fc.constantFrom(...files), (given, file) => {
        const route = routeSourceEvent(given, file);
        if (route.kind !== 'routed') return;
        const late = route.cancels.flatMap(({ ifTooLate }) => ifTooLate ?? []);
        expect(route.intents.length + route.cancels.length).toBeGreaterThan(0);
        for (const intent of [...route.intents, ...late]) {
          expect(intent.command === null).toBe(intent.parked !== null);
          expect(intent.command?.operation ?? intent.operation).toBe(intent.operation);
          expect(intent.memberId).toBe(given.data.memberId ?? nobody);
          expect(intent.command?.uniqueId ?? intent.memberId).toBe(intent.memberId);
          expect(intent.businessKey === null).toBe(intent.businessContent === null);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('sends the member id in the metaData of every pass that is issued or updated by workflow', () => {
    fc.assert(
      fc.property(event, (given) => {
        const route = routeSourceEvent(given, files[0]!);
        if (route.kind !== 'routed') return;
        for (const { command } of route.intents) {
          if (command === null || !('content' in command)) continue;
          expect(command.content.passdata?.metaData?.['memberId']).toBe(command.uniqueId);
        }
      }),
      { numRuns: 500 },
    );
  });
});
