import fc from 'fast-check';

import type { ProgramsFile } from '#contracts';
import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';
import type { SourceEventName } from './source-events.js';
import { sampleEvent, routeSourceEvent } from './source-events.js';

import { canonicalJson, businessKeyText } from '#intents/core';
import { eventContentText, eventKeyText } from './core/event-identity.js';
import { amountText, currencyDigits } from './core/event-values.js';
import type { JsonValue, BusinessKey } from '#intents/core';

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

function program(settings: object): ProgramsFile {
  const parsed = parseProgramsFile(
    JSON.stringify({ programs: { 'coffee-club': { brandId: 1, programId: 2, ...settings } } }),
  );
  if (!parsed.ok) throw new Error(parsed.errors.join());
  return parsed.value;
}

describe('how soon an event is sent', () => {
  const of = (priority: object, name: SourceEventName = 'loyalty.member.enrolled.v1'): unknown => {
    const rewards = { 'free-coffee': 1 };
    const result = routeSourceEvent(sampleEvent(name), program({ tiers: { basic: 1 }, rewards, priority }));
    return result.kind === 'routed' ? result.intents.map(({ priority: level }) => level) : result;
  };
  const till = '/pos/berlin-07/till-3';

  it.each([
    [{}, undefined],
    [{ types: { 'loyalty.member.enrolled.v1': 'low' } }, 2],
    [{ types: { 'loyalty.member.enrolled.v1': 'low' }, sources: { [till]: 'high' } }, 0],
    [{ types: { 'loyalty.reward.granted.v1': 'low' }, sources: { '/pos': 'low' } }, undefined],
  ])('is as the programs file says of its source, or else of its type: %j', (priority, level) => {
    expect(of(priority)).toEqual([level]);
  });

  it('is said of what there is', () => {
    expect(() => of({ types: { enrolled: 'low' } })).toThrow('must name event types');
  });
});

describe('an event of a clock that was reset', () => {
  const routeAt = (time: string, settings: object, name: SourceEventName = 'loyalty.member.enrolled.v1'): object =>
    routeSourceEvent(sampleEvent(name, { frame: { time, timeMs: Date.parse(time) } }), program(settings));
  const setAside = { kind: 'quarantine', reason: 'invalid', detail: "time: before the program's notBefore" };

  it('is set aside, whatever it is: from before 2020, or as the program says', () => {
    expect(routeAt('2000-01-01T00:10:00Z', {})).toMatchObject(setAside);
    expect(routeAt('2000-01-01T00:10:00Z', {}, 'loyalty.purchase.completed.v1')).toMatchObject(setAside);
    expect(routeAt('2019-12-31T23:59:59.999Z', {})).toMatchObject(setAside);
    expect(routeAt('2024-02-29T22:59:59Z', { notBefore: '2024-03-01T00:00:00+01:00' })).toMatchObject(setAside);
  });

  it('is no other one', () => {
    expect(routeAt('2020-01-01T00:00:00Z', { tiers: { gold: 2 } })).not.toMatchObject(setAside);
    expect(routeAt('2012-01-01T00:00:00Z', { notBefore: '2010-01-01' })).not.toMatchObject(setAside);
  });
});

describe('the text of an amount', () => {
  it.each([
    [{ minor: 5999, currency: 'EUR', digits: 2 }, -1, '-59.99'],
    [{ minor: 5900, currency: 'EUR' }, 1, '59.00'],
    [{ minor: 5, currency: 'EUR', digits: null }, 1, '0.05'],
    [{ minor: 0, currency: 'EUR' }, -1, '0.00'],
    [{ minor: 0, currency: 'JPY' }, -1, '0'],
    [{ minor: 1200, currency: 'JPY' }, -1, '-1200'],
    [{ minor: 1200, currency: 'KWD' }, 1, '1.200'],
    [{ minor: 1200, currency: 'CLF' }, 1, '0.1200'],
    [{ minor: 1200, currency: 'EUR', digits: 0 }, 1, '1200'],
    [{ minor: Number.MAX_SAFE_INTEGER, currency: 'EUR' }, -1, '-90071992547409.91'],
  ] as const)('%j x %d', (money, sign, text) => {
    expect(amountText(money, sign)).toBe(text);
  });

  it('parses back exactly', () => {
    const money = fc.record({
      minor: fc.maxSafeNat(),
      currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF'),
      digits: fc.option(fc.nat(8)),
    });
    fc.assert(
      fc.property(money, fc.constantFrom(1 as const, -1 as const), (sum, sign) => {
        const [, minus, whole, fraction = ''] = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(amountText(sum, sign)) ?? [];
        expect(fraction).toHaveLength(sum.digits ?? currencyDigits(sum.currency));
        expect(BigInt(`${whole ?? ''}${fraction}`)).toBe(BigInt(sum.minor));
        expect(minus).toBe(sign === -1 && sum.minor > 0 ? '-' : '');
      }),
    );
  });
});

describe('canonical JSON', () => {
  it.each<[JsonValue, string]>([
    [{ b: 1, a: [null, true, 'ü\n'], '': {} }, '{"":{},"a":[null,true,"ü\\n"],"b":1}'],
    [{ '\u{1F600}': 1, '\uFB33': 2 }, '{"\u{1F600}":1,"\uFB33":2}'],
    [-0, '0'],
    [1e21, '1e+21'],
    [{ a: undefined as unknown as JsonValue, b: 1 }, '{"b":1}'],
  ])('%j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('means the same as the value, whatever the order of its keys', () => {
    const shuffled = (value: JsonValue): JsonValue => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return (value as readonly JsonValue[]).map(shuffled);
      const entries = Object.entries(value as Record<string, JsonValue>);
      return Object.fromEntries(entries.reverse().map(([key, member]) => [key, shuffled(member)]));
    };
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(shuffled(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('dedup texts', () => {
  const text = fc.string({ maxLength: 6, unit: fc.constantFrom('"', ',', '\\', '[', ']', 'a', '0') });
  const key = fc.record<BusinessKey>({
    scope: fc.constantFrom('purchase', 'refund', 'grant', 'enrolment'),
    parts: fc.array(text, { maxLength: 3 }),
    perGeneration: fc.boolean(),
  });
  const identity = fc.record({ program: text, key, generation: fc.nat(3) });

  it('are equal only for equal identities', () => {
    fc.assert(
      fc.property(fc.tuple(text, text), fc.tuple(text, text), ([source, id], [otherSource, otherId]) => {
        const isSame = source === otherSource && id === otherId;
        expect(eventKeyText({ source, id }) === eventKeyText({ source: otherSource, id: otherId })).toBe(isSame);
      }),
    );
    const meaning = ({
      program,
      key: { scope, parts, perGeneration },
      generation,
    }: Parameters<typeof businessKeyText>[0]) =>
      JSON.stringify({ program, scope, parts, generation: perGeneration ? generation : null });
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        expect(businessKeyText(one) === businessKeyText(other)).toBe(meaning(one) === meaning(other));
      }),
    );
  });

  it('never mix events with business keys', () => {
    fc.assert(
      fc.property(identity, text, text, (business, source, id) => {
        expect(businessKeyText(business)).not.toBe(eventKeyText({ source, id }));
      }),
    );
  });

  it('tell a purchase from its refund of the same number', () => {
    const of = (scope: BusinessKey['scope']): string =>
      businessKeyText({ program: 'c', key: { scope, parts: ['1'], perGeneration: false }, generation: 0 });
    expect(of('purchase')).not.toBe(of('refund'));
  });

  it('heed the generation only where it counts', () => {
    const enrolment: BusinessKey = { scope: 'enrolment', parts: ['m'], perGeneration: true };
    const purchase: BusinessKey = { scope: 'purchase', parts: ['p'], perGeneration: false };
    const at = (ofKey: BusinessKey, generation: number): string =>
      businessKeyText({ program: 'c', key: ofKey, generation });
    expect(at(enrolment, 0)).not.toBe(at(enrolment, 1));
    expect(at(purchase, 0)).toBe(at(purchase, 1));
  });

  it('compare an event by type, subject and data', () => {
    const event = { type: 't', subject: null, sentData: { a: 1, b: 2 } };
    const content = eventContentText(event);
    expect(eventContentText({ ...event, sentData: { b: 2, a: 1 } })).toBe(content);
    expect(eventContentText({ ...event, type: 'u' })).not.toBe(content);
    expect(eventContentText({ ...event, subject: 's' })).not.toBe(content);
    expect(eventContentText({ ...event, sentData: { a: 1 } })).not.toBe(content);
  });
});

const enrolled = 'loyalty.member.enrolled.v1';
const updated = 'loyalty.member.updated.v1';
const completed = 'loyalty.purchase.completed.v1';

function lookingUpBy(by: string): ProgramsFile {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE.replace('lookup: { by: unique_id }', `lookup: { by: ${by} }`));
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

function lookupOf(file: ProgramsFile, ...event: Parameters<typeof sampleEvent>): unknown {
  const route = routeSourceEvent(sampleEvent(...event), file);
  if (route.kind !== 'routed') throw new Error(`the event is ${route.kind}`);
  return route.intents[0]?.command?.by ?? null;
}

const email = (value: string): unknown => ({ parameter: 'email', value });

describe('how the pass is looked up', () => {
  it.each(['unique_id', 'person_id'])('by unique_id where the program says %s', (by) => {
    expect(lookupOf(lookingUpBy(by), enrolled)).toBeNull();
    expect(lookupOf(lookingUpBy(by), completed)).toBeNull();
  });

  it("by the enrolment's email where the program says email", () => {
    expect(lookupOf(lookingUpBy('email'), enrolled)).toEqual(email('ada@example.org'));
  });

  it('by a member id that is an email, whatever the event', () => {
    const data = { memberId: 'bo@example.org' };
    expect(lookupOf(lookingUpBy('email'), completed, { data })).toEqual(email('bo@example.org'));
    const anonymous = { ...data, person: { firstName: 'Bo' } };
    expect(lookupOf(lookingUpBy('email'), enrolled, { data: anonymous })).toEqual(email('bo@example.org'));
  });

  it('by unique_id where no email is known; the email of an update is not yet that of the pass', () => {
    expect(lookupOf(lookingUpBy('email'), completed)).toBeNull();
    const data = { changed: ['person.email'], person: { email: 'new@example.org' } };
    expect(lookupOf(lookingUpBy('email'), updated, { data })).toBeNull();
  });
});
