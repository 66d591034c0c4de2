import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const grant = (id: string, data: object = {}, frame: object = at('09:00')): EventSketch => ({
  ...{ id, name: 'loyalty.reward.granted.v1', frame },
  data: { memberId: 'ada', grantId: 'g-1', reward: 'free-coffee', purchaseId: null, validUntil: null, ...data },
});

const revocation = (id: string, frame: object): EventSketch => ({
  ...{ id, name: 'loyalty.reward.revoked.v1', frame },
  data: { memberId: 'ada', grantId: 'g-1' },
});

describe.each(waysToSend)('a grant told again, %s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('is the same under its id at any time, under another at its own, also with a field more', async () => {
    const more = { shownAs: 'a coffee', purchaseId: '' };
    const again = [grant('1', {}, at('09:05')), grant('1', more), grant('2', more)];
    expect(await told(grant('1'), ...again)).toEqual([
      ...['recorded', 'duplicate-event', 'duplicate-event', 'duplicate-business-key'],
    ]);
  });

  it.each<[what: string, data: object, frame: object]>([
    ['at another time', {}, at('09:05')],
    ['for another member', { memberId: 'bob' }, at('09:00')],
    ['of another receipt', { purchaseId: 'B-2' }, at('09:00')],
    ['until another time', { validUntil: '2027-01-01T00:00:00Z' }, at('09:00')],
  ])('%s under another id is a conflict', async (_what, data, frame) => {
    expect(await told(grant('1'), grant('2', data, frame))).toEqual(['recorded', 'conflict']);
  });

  it('after its revocation stands in a list; under a number of its own it is given', async () => {
    const again = [grant('3', {}, at('09:10')), grant('4', { grantId: 'g-2' }, at('09:10'))];
    expect(await told(grant('1'), revocation('2', at('09:05')), ...again)).toEqual([
      ...['recorded', 'recorded', 'conflict', 'recorded'],
    ]);
    expect(await till.setAside()).toEqual(['conflict: business-key']);
  });
});

describe.each(waysToSend)('%s, what is given once for a campaign', (way) => {
  const granted = (grantId: string, data: object = {}, time = '09:00'): EventSketch =>
    grant(grantId, { grantId, campaignId: 'autumn', ...data }, at(time));

  beforeEach(async () => {
    await till.close();
    const once = 'free-coffee: { id: "9001", once: campaignId }, cake: { id: "9002", once: campaignId }';
    till = await Till.open(testPrograms(['free-coffee: { id: "9001", pointsDelta: -10 }', once]));
  });

  it('is given to each member once, under whichever number', async () => {
    const others = [
      granted('b', { memberId: 'bob' }),
      granted('c', { campaignId: 'winter' }),
      granted('d', { campaignId: null }),
    ];
    expect(await till.sendsBy(way, [granted('a'), granted('a2'), granted('a2', { x: 1 }, '09:05'), ...others])).toEqual(
      [...['recorded', 'duplicate-business-key', 'duplicate-event', 'recorded', 'recorded', 'recorded']],
    );
  });

  it('is a conflict where it is another reward', async () => {
    expect(await till.sendsBy(way, [granted('a'), granted('b', { reward: 'cake' })])).toEqual(['recorded', 'conflict']);
  });

  it('is given again after it was revoked in time', async () => {
    const revoked: EventSketch = {
      ...{ id: 'r', name: 'loyalty.reward.revoked.v1', frame: at('09:05') },
      data: { memberId: 'ada', grantId: 'a' },
    };
    const again = [granted('a2', {}, '09:10'), granted('a3', {}, '09:11')];
    expect(await till.sendsBy(way, [granted('a'), revoked, ...again])).toEqual([
      ...['recorded', 'recorded', 'recorded', 'duplicate-business-key'],
    ]);
    await till.delivers();
    const statuses = (await till.intents()).map((line) => line.split(' ').slice(1).join(' '));
    expect(statuses).toEqual(['cancelled revoked', 'delivered']);
  });

  it('is given again after it was cancelled with the sale that it names', async () => {
    const sold = (id: string): EventSketch => ({
      ...{ id: `s-${id}`, name: 'loyalty.purchase.completed.v1', frame: at('08:00') },
      data: { memberId: 'ada', purchaseId: id, total: { minor: 100, currency: 'EUR', digits: 2 } },
    });
    const voided: EventSketch = {
      ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:05') },
      data: { memberId: 'ada', purchaseId: 'B-1', total: null },
    };
    await till.sendsBy(way, [sold('B-1'), granted('a', { purchaseId: 'B-1' }), voided, sold('B-2')]);
    await till.delivers();
    expect(await till.sends(granted('a2', { purchaseId: 'B-2' }, '09:10'))).toEqual(['recorded']);
  });

  it('is given to who enrols anew after an erasure, once: they are somebody new; to who only comes back it is not', async () => {
    // Before the brokers have them: what says a later time counts as of then.
    const frame = (time: string): object => ({ time: `2025-11-21T${time}:00Z` });
    const ofMember = (id: string, name: EventSketch['name'], time: string, data: object = {}): EventSketch => ({
      ...{ id, name, frame: frame(time), data: { memberId: 'ada', ...data } },
    });
    const gift = (id: string, time: string): EventSketch =>
      grant(id, { grantId: id, campaignId: 'autumn' }, frame(time));
    const enrolled = (id: string, time: string): EventSketch => ofMember(id, 'loyalty.member.enrolled.v1', time);
    const left = (id: string, time: string, erase: boolean): EventSketch =>
      ofMember(id, 'loyalty.member.opted-out.v1', time, { scope: 'program', erase });
    const first = [enrolled('e1', '08:00'), gift('a', '08:01'), left('x1', '08:02', false), enrolled('e2', '08:03')];
    const again = [gift('b', '08:04'), left('x2', '08:05', true), enrolled('e3', '08:06')];
    const anew = [gift('old', '08:04'), gift('c', '08:07'), gift('d', '08:08')];
    expect(await till.sendsBy(way, [...first, ...again, ...anew])).toEqual([
      ...['recorded', 'recorded', 'recorded', 'recorded', 'duplicate-business-key', 'recorded', 'recorded'],
      ...['erased', 'recorded', 'duplicate-business-key'],
    ]);
  });

  it('is taken back once, by however many of its numbers', async () => {
    const revoked = (id: string, grantId: string): EventSketch => ({
      ...{ id, name: 'loyalty.reward.revoked.v1', frame: at('09:10') },
      data: { memberId: 'ada', grantId },
    });
    await till.sendsBy(way, [granted('a'), granted('a2'), granted('a3')]);
    await till.delivers();
    expect(await till.sendsBy(way, [revoked('r2', 'a2'), revoked('r3', 'a3'), revoked('r1', 'a')])).toEqual([
      ...['recorded', 'nothing-to-cancel', 'nothing-to-cancel'],
    ]);
  });

  it('is given once to who has given up another card', async () => {
    const merged: EventSketch = {
      ...{ id: 'm', name: 'loyalty.member.merged.v1', frame: at('08:30') },
      data: { memberId: 'ada', absorbed: ['old'] },
    };
    expect(await till.sendsBy(way, [merged, granted('a', { memberId: 'old' }), granted('b')])).toEqual([
      ...['recorded', 'recorded', 'duplicate-business-key'],
    ]);
  });

  describe('regression: to who had it before another one absorbed them', () => {
    const of = (memberId: string, grantId: string, time: string): EventSketch => granted(grantId, { memberId }, time);
    const merged: EventSketch = {
      ...{ id: 'm', name: 'loyalty.member.merged.v1', frame: at('09:10') },
      data: { memberId: 'ada', absorbed: ['old'] },
    };

    it('is not given again, by neither name; to each of two before that it is', async () => {
      const before = [of('old', 'a', '09:00'), granted('w', { campaignId: 'winter' })];
      const after = [of('old', 'b', '09:20'), of('ada', 'c', '09:20'), of('bob', 'd', '09:20')];
      expect(await till.sendsBy(way, [...before, merged, ...after])).toEqual([
        ...['recorded', 'recorded', 'recorded', 'duplicate-business-key', 'duplicate-business-key', 'recorded'],
      ]);
    });

    it('is given again, once, where that was cancelled', async () => {
      await till.sends(of('old', 'a', '09:00'));
      await till.cancels('old', 1);
      expect(await till.sendsBy(way, [merged, of('ada', 'b', '09:20'), of('old', 'c', '09:30')])).toEqual([
        ...['recorded', 'recorded', 'duplicate-business-key'],
      ]);
    });
  });
});
