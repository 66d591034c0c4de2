import fc from 'fast-check';
import type { Program, ProgramsFile } from '#contracts';
import type { RoutedIntent } from '#intents/core';
import type { RecordVerdict } from '#intents';
import { nativeAuthority } from '#events';
import type { FetchedRecord } from '#kafka';
import { eventRecord, type EventSketch, testPrograms } from '../testing/events.js';
import { type PrepareContext, prepareRecord } from './prepare-record.js';

const context: PrepareContext = {
  source: { topic: 'loyalty.purchases', partition: 3 },
  authority: null,
  programs: testPrograms().file,
  now: Date.UTC(2026, 10, 21, 12),
};

function verdictOf(record: FetchedRecord, more: Partial<PrepareContext> = {}): RecordVerdict {
  return prepareRecord(record, { ...context, ...more }).verdict;
}

function routed(sketch: EventSketch, more: Partial<PrepareContext> = {}): Extract<RecordVerdict, { kind: 'routed' }> {
  const verdict = verdictOf(eventRecord(sketch), more);
  if (verdict.kind !== 'routed') throw new Error(`not routed: ${verdict.reason}`);
  return verdict;
}

/** The programs file whose one program says something else. */
function changed(change: Partial<Program>): ProgramsFile {
  const [name, program] = Object.entries(context.programs.programs)[0]!;
  return { ...context.programs, programs: { [name]: { ...program, ...change } } };
}

interface Content {
  readonly passdata: Readonly<Record<string, unknown>>;
}

/** What is told of a pass that is there. */
function withoutPoints(content: unknown): unknown {
  const { passdata } = content as Content;
  const { points: _points, ...rest } = passdata;
  return { ...(content as Content), passdata: rest };
}

function contentOf(intent: RoutedIntent | null | undefined): unknown {
  const command = intent?.command;
  return command && 'content' in command ? command.content : null;
}

const purchase = { id: 'e-1', name: 'loyalty.purchase.completed.v1' } as const;
const enrolment = { id: 'e-2', name: 'loyalty.member.enrolled.v1' } as const;

it('sets a batch that was not taken apart aside, with its bytes and its first offset', () => {
  const bytes = Buffer.from('as the broker has it');
  const undecoded = { reason: 'oversized', detail: 'too large', firstOffset: 3, bytes } as const;
  const record = { offset: 7, brokerAt: 1_000, key: null, value: null, headers: {}, undecoded };
  expect(prepareRecord(record, context)).toEqual({
    original: { offset: 7, brokerAt: 1_000, key: null, value: bytes, headersText: '{}', batch: { firstOffset: 3 } },
    verdict: { kind: 'quarantine', reason: 'oversized', detail: 'too large' },
  });
});

describe('a purchase', () => {
  it('carries what the transaction needs: type, time, identity, intent', () => {
    const verdict = routed(purchase);
    expect(verdict).toMatchObject({
      eventType: purchase.name,
      eventSource: '/pos/berlin-07/till-3',
      occurredAt: Date.parse('2026-11-21T10:15:04+01:00'),
      eventKeyText: '["event","/pos/berlin-07/till-3","e-1"]',
      enrolmentAsUpdate: null,
    });
    expect(verdict.intents.map((intent) => intent.operation)).toEqual(['transaction']);
    expect(verdict.intents[0]?.facts).toMatchObject({ storeId: 'berlin-07', amount: '59.99' });
  });

  it('without a member is ignored, with its identity', () => {
    const verdict = verdictOf(eventRecord({ ...purchase, data: { memberId: null } }));
    expect(verdict).toMatchObject({ kind: 'ignored', reason: 'no-member' });
    expect(verdict).toHaveProperty('identity.eventKeyText');
  });

  it('that is voided by an event without a member is looked for', () => {
    const voided = eventRecord({ ...purchase, name: 'loyalty.purchase.voided.v1', data: { memberId: null } });
    expect(verdictOf(voided)).toMatchObject({ kind: 'routed', intents: [] });
  });
});

describe('an enrolment', () => {
  it('knows what it is as an update, should it come a second time', () => {
    const { intents, enrolmentAsUpdate } = routed(enrolment);
    expect(enrolmentAsUpdate).toMatchObject({ operation: 'update-via-workflow', businessKey: null, waitsFor: null });
    expect(enrolmentAsUpdate?.command).toMatchObject({ operation: 'update-via-workflow', workflowId: '78' });
    expect(contentOf(enrolmentAsUpdate)).toEqual(withoutPoints(contentOf(intents[0])));
  });

  it.each([
    ['keep', undefined],
    ['overwrite', 0],
  ] as const)('of somebody who has a pass: %s the points', (points, sent) => {
    const record = { ...enrolment, data: { pass: { points: 0, seat: '7' } } };
    const { intents, enrolmentAsUpdate } = routed(record, { programs: changed({ existingPass: { points } }) });
    expect(contentOf(intents[0])).toMatchObject({ passdata: { points: 0, seat: '7' } });
    expect(contentOf(enrolmentAsUpdate)).toMatchObject({ passdata: { seat: '7' } });
    expect((contentOf(enrolmentAsUpdate) as Content).passdata['points']).toBe(sent);
  });

  it('is no update where the program maps none', () => {
    expect(routed(enrolment, { programs: changed({ update: { via: 'none' } }) }).enrolmentAsUpdate).toBeNull();
  });

  it('regression: is an update too where updates go by schedule, which dropped it', () => {
    const { intents, enrolmentAsUpdate } = routed(enrolment, { programs: changed({ update: { via: 'schedule' } }) });
    const [issue] = intents;
    expect(enrolmentAsUpdate).toMatchObject({
      operation: 'schedule-update',
      businessKey: null,
      command: { scheduledName: 'loyaltyd /pos/berlin-07/till-3 e-2' },
    });
    expect(contentOf(enrolmentAsUpdate)).toEqual(withoutPoints(contentOf(issue)));
  });

  it.each(['workflow', 'schedule'] as const)('regression: as an update by %s is looked up as it was itself', (via) => {
    const update = via === 'workflow' ? { via, workflowId: '78' } : { via };
    const { intents, enrolmentAsUpdate } = routed(enrolment, {
      programs: changed({ lookup: { by: 'email' }, update }),
    });
    const by = { parameter: 'email', value: 'ada@example.org' };
    expect([intents[0], enrolmentAsUpdate].map((intent) => intent?.command?.by)).toEqual([by, by]);
  });
});

describe('a record without a future', () => {
  it.each([
    ['a tombstone', { ...eventRecord(purchase), value: null }, { kind: 'ignored', reason: 'tombstone' }],
    ['not JSON', { ...eventRecord(purchase), value: Buffer.from('{') }, { kind: 'quarantine', reason: 'unreadable' }],
    ['an unknown program', eventRecord({ ...purchase, data: { program: 'x' } }), { reason: 'unknown-program' }],
  ])('%s', (_what, record, expected) => {
    expect(verdictOf(record)).toMatchObject(expected);
  });

  it('keeps its original for the quarantine, headers as text', () => {
    const { original } = prepareRecord({ ...eventRecord(purchase, 7), value: Buffer.from('{') }, context);
    expect(original).toMatchObject({ offset: 7, value: Buffer.from('{') });
    expect(JSON.parse(original.headersText)).toEqual({ 'content-type': 'application/cloudevents+json' });
  });

  it('is set aside when our own code fails on it', () => {
    const broken = new Proxy({}, { getOwnPropertyDescriptor: () => fail(), get: () => fail(), has: () => fail() });
    const programs = { unknownProgram: 'quarantine', programs: broken } as ProgramsFile;
    expect(verdictOf(eventRecord(purchase), { programs })).toEqual({
      kind: 'quarantine',
      reason: 'invalid',
      detail: 'prepare: TypeError',
    });
  });

  it('never throws, whatever the bytes', () => {
    const headers = fc.option(fc.dictionary(fc.string(), fc.uint8Array()), { nil: undefined });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), headers, (value, given) => {
        const record = { offset: 0, brokerAt: 0, key: null, value, headers: given };
        expect(['quarantine', 'ignored']).toContain(verdictOf(record).kind);
      }),
    );
  });
});

function fail(): never {
  throw new TypeError('broken on purpose');
}

describe('what changes a profile', () => {
  const happened = Date.parse('2026-11-21T10:15:04+01:00');
  const updated = { id: 'e-3', name: 'loyalty.member.updated.v1' } as const;
  const positionOf = (sketch: EventSketch, change: Partial<FetchedRecord> = {}, more: Partial<PrepareContext> = {}) => {
    const verdict = verdictOf({ ...eventRecord(sketch), brokerAt: happened + 1_000, ...change }, more);
    return verdict.kind === 'routed' ? verdict.profilePosition : verdict;
  };

  it.each([
    ['when it happened', {}, {}, happened],
    ['when it came, where its clock runs ahead', {}, { now: happened - 60_000 }, happened - 60_000],
    ['when it came first, where it was set aside', {}, { receivedAt: happened - 60_000 }, happened - 60_000],
    [
      'when the broker had it, where that is the broker\u2019s word',
      { brokerAt: happened - 5, isAppendTime: true } as const,
      {},
      happened - 5,
    ],
    ['when it happened, whatever time its producer gave the record', { brokerAt: happened - 5 }, {}, happened],
  ])('counts from %s', (_from, change, more, timeMs) => {
    for (const sketch of [updated, enrolment]) {
      expect(positionOf({ ...sketch, frame: { sequence: '7' } }, change, more)).toEqual({ sequence: '7', timeMs });
    }
  });

  it('is an opt-out, too, and no purchase', () => {
    expect(positionOf({ id: 'e-4', name: 'loyalty.member.opted-out.v1' })).toEqual({
      sequence: null,
      timeMs: happened,
    });
    expect(positionOf(purchase)).toBeNull();
  });
});

describe('an event that came by another subject’s topic', () => {
  const byMembers = { authority: nativeAuthority('members') };
  const wrong = { kind: 'quarantine', reason: 'not-allowed' };

  it('is set aside, and holds no number that others have', () => {
    const verdict = verdictOf(eventRecord(purchase), byMembers);
    expect(verdict).toEqual({
      ...wrong,
      detail: 'type: the topic of members may not say loyalty.purchase.completed.v1',
    });
    const refused = eventRecord({ ...purchase, data: { total: { minor: 1, currency: 'XXX' } } });
    expect(verdictOf(refused)).toHaveProperty('number');
    expect(verdictOf(refused, byMembers)).not.toHaveProperty('number');
    const withoutCard = eventRecord({ ...purchase, data: { memberId: null } });
    expect(verdictOf(withoutCard, byMembers)).toMatchObject(wrong);
  });

  it.each(['loyalty.member.enrolled.v1', 'loyalty.member.opted-out.v1', 'loyalty.reward.revoked.v1'] as const)(
    'so is %s',
    (name) => {
      const record = eventRecord({ id: 'e-1', name });
      expect(verdictOf(record, { authority: nativeAuthority('purchases') })).toMatchObject(wrong);
      const own = name.includes('reward') ? 'rewards' : 'members';
      expect(verdictOf(record, { authority: nativeAuthority(own) }).kind).toBe('routed');
    },
  );

  it('is taken in by a person, and out of a topic that is read no more', () => {
    expect(verdictOf(eventRecord(purchase), { ...byMembers, isByPerson: true }).kind).toBe('routed');
    expect(verdictOf(eventRecord(purchase), { authority: null }).kind).toBe('routed');
  });

  it('is ignored where its program is none of ours', () => {
    const programs: ProgramsFile = { ...context.programs, unknownProgram: 'ignore' };
    const record = eventRecord({ ...purchase, data: { program: 'other' } });
    expect(verdictOf(record, { ...byMembers, programs })).toMatchObject({ kind: 'ignored', reason: 'unknown-program' });
  });
});
