import type { SourceEventName } from '#events';
import { decodeSourceRecord, eventTypeOf, SOURCE_EVENT_SAMPLES } from '#events';

import type { BuiltEvent, EventPlan } from './event-source.js';
import { modes } from '../options.js';
import { buildEvent, encodeEvent, readEventType, shortTypeNames } from './event-source.js';
import { readSetting } from './setting.js';

const now = Date.parse('2026-11-21T12:00:00Z');
const names = Object.keys(SOURCE_EVENT_SAMPLES) as SourceEventName[];

const build = (name: SourceEventName, plan: Partial<EventPlan> = {}, number = 1): BuiltEvent => {
  const whole = { type: { name, type: name }, program: null, member: null, settings: [], ...plan };
  return buildEvent(whole, { number, id: `id-${number}`, now });
};

describe('a triggered event', () => {
  describe.each(modes)('in %s mode', (mode) => {
    it.each(names)('of %s is what a daemon accepts, as it was built', (name) => {
      const event = build(name);
      const { headers, value, key } = encodeEvent(event, mode);
      const decoded = decodeSourceRecord({ value: Buffer.from(value), headers, now });
      if (decoded.kind !== 'event') throw new Error(JSON.stringify(decoded));
      const { id, source, type, time, sentData } = decoded.event;
      expect({ id, source, type, time, data: sentData }).toEqual({
        id: 'id-1',
        source: '/loyaltyd/trigger',
        type: name,
        time: '2026-11-21T12:00:00.000Z',
        data: event['data'],
      });
      expect(key).toBe('m_81273');
    });

    it('carries what was set in the frame', () => {
      const settings = ['sequence=7', 'subject=null', 'traceparent="x"', 'time=2026-11-20T00:00:00Z'].map(readSetting);
      const { headers, value } = encodeEvent(build('loyalty.member.updated.v1', { settings }), mode);
      expect(decodeSourceRecord({ value: Buffer.from(value), headers, now })).toMatchObject({
        kind: 'event',
        event: { sequence: '7', subject: null, time: '2026-11-20T00:00:00Z' },
      });
    });
  });

  it('has a number of its own, but refers to what the sample refers to', () => {
    for (const name of names) {
      const { ownNumber } = eventTypeOf(name);
      const own = ownNumber === undefined ? {} : { [ownNumber]: 'test-id-1' };
      expect(build(name)['data']).toEqual({ ...SOURCE_EVENT_SAMPLES[name], ...own });
    }
    expect(build('loyalty.purchase.refunded.v1')['data']).toMatchObject({
      purchaseId: 'B07-118834',
      refundId: 'test-id-1',
    });
    expect(build('loyalty.reward.granted.v1')['data']).toMatchObject({
      purchaseId: 'B07-118834',
      grantId: 'test-id-1',
    });
    expect(build('loyalty.reward.revoked.v1')['data']).toMatchObject({ grantId: 'g_771' });
  });

  it('is of the program and member asked for; what is set comes last', () => {
    const settings = [readSetting('memberId=last'), readSetting('tier=gold')];
    const plan = { program: 'p-{n}', member: 'm-{n}' };
    expect(build('loyalty.member.enrolled.v1', plan, 3)['data']).toMatchObject({ program: 'p-3', memberId: 'm-3' });
    expect(build('loyalty.member.enrolled.v1', { ...plan, settings })['data']).toMatchObject({
      memberId: 'last',
      tier: 'gold',
    });
  });

  it('leaves the sample as it is', () => {
    build('loyalty.purchase.completed.v1', { settings: [readSetting('total.minor=1')] });
    expect(SOURCE_EVENT_SAMPLES['loyalty.purchase.completed.v1'].total.minor).toBe(5999);
  });

  it.each([['memberId=null'], ['memberId=""'], ['memberId=7'], ['data=7']])('has no key when %s', (words) => {
    const event = build('loyalty.purchase.completed.v1', { settings: [readSetting(words)] });
    expect(encodeEvent(event, 'structured').key).toBeNull();
  });
});

describe('a type of event', () => {
  it.each(names)('may be written short: %s', (name) => {
    const short = name.replace(/^loyalty\.|\.v1$/g, '');
    expect(shortTypeNames()).toContain(short);
    for (const text of [short, `${short}.v1`]) expect(readEventType(text)).toEqual({ name, type: name });
    expect(readEventType(`com.acme.${name}`)).toEqual({ name, type: `com.acme.${name}` });
  });

  it.each(['', 'purchase', 'purchase.completed.v2', 'acme.purchase.completed', '.loyalty.purchase.completed.v1'])(
    'is not %p',
    (text) => {
      expect(readEventType(text)).toBeNull();
    },
  );
});
