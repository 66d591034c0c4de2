import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "34" }
      completed:`;

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (id: string, memberId = 'ada'): EventSketch => ({
  ...{ id: `s-${id}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: id, total: money(6000) },
});
const refund = (id: string, minor: number, purchaseId = 'B-1'): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${id}`, purchaseId, total: money(minor) },
});
const voided = (id: string, data: object, time = '09:40'): EventSketch => ({
  ...{ id: `v-${id}`, name: 'loyalty.purchase.voided.v1', frame: at(time) },
  data: { memberId: 'ada', purchaseId: `V-${id}`, total: money(6000), ...data },
});
const refundVoided = (id: string, minor: number): EventSketch =>
  voided(`of-${id}`, { original: { refundId: `R-${id}` }, total: money(minor) });
const grantRevoked: EventSketch = {
  ...{ id: 'x', name: 'loyalty.reward.revoked.v1', frame: at('09:50') },
  data: { memberId: 'ada', grantId: 'g-unknown' },
};

describe('a void that finds nothing', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
  });

  it('stands in a list with its amount, and lets the member go on', async () => {
    expect(await till.sends(voided('1', { purchaseId: 'B-9' }), sale('B-1'))).toEqual(['recorded', 'recorded']);
    await till.delivers();
    expect(await till.intents()).toEqual(['ada B-9 60.00 parked missing-purchase', 'ada B-1 60.00 delivered']);
  });

  it('leaves the list with the sale that it cancels', async () => {
    await till.sends(voided('1', { purchaseId: 'B-1' }));
    await till.sends(sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided', 'ada B-1 60.00 cancelled voided']);
  });

  it('leaves the list where it contradicts the sale, which stands there in its place', async () => {
    await till.sends(voided('1', { purchaseId: 'B-1', total: money(5000) }));
    await till.sends(sale('B-1'));
    expect(await till.intents()).toEqual(['ada B-1 50.00 cancelled voided', 'ada B-1 60.00 parked conflict']);
  });

  it('cancels nothing any more once a person has given it up', async () => {
    await till.sends(voided('1', { purchaseId: 'B-1' }));
    await till.cancels('ada', 1);
    await till.sends(sale('B-1'));
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled operator', 'ada B-1 60.00 pending']);
  });

  it('cancels what it means all the same where a person has given up something else', async () => {
    await till.sends(sale('B-2'), voided('1', { purchaseId: 'B-1' }));
    await till.cancels('ada', 1);
    await till.sends(sale('B-1'));
    expect((await till.intents()).slice(1)).toEqual([
      'ada B-1 60.00 cancelled voided',
      'ada B-1 60.00 cancelled voided',
    ]);
  });

  it('told by two systems stands there once', async () => {
    await till.sends(voided('1', { purchaseId: 'B-1' }), voided('2', { purchaseId: 'B-1' }, '09:41'));
    expect(await till.intents()).toEqual(['ada B-1 60.00 parked missing-purchase']);
  });

  it('and names nobody is of a sale without a card, as most are', async () => {
    await till.sends(voided('1', { memberId: undefined, purchaseId: 'B-1' }));
    expect(await till.intents()).toEqual([]);
    await till.sends(sale('B-1'));
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided']);
  });

  it('uses no number up: the void of what comes under it afterwards counts', async () => {
    await till.sends(voided('early', { purchaseId: 'B-1' }, '08:00'), sale('B-1'));
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided', 'ada B-1 60.00 parked conflict']);
    await till.sends(voided('true', { purchaseId: 'B-1' }));
    expect((await till.intents())[1]).toBe('ada B-1 60.00 cancelled voided');
  });

  it('and names nobody is listed once somebody is named', async () => {
    await till.sends(voided('1', { memberId: undefined, purchaseId: 'B-1' }), voided('2', { purchaseId: 'B-1' }));
    expect(await till.intents()).toEqual(['ada B-1 60.00 parked missing-purchase']);
    await till.sends(sale('B-1'));
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided', 'ada B-1 60.00 cancelled voided']);
  });

  it('and names another member takes nothing of the sale', async () => {
    await till.sends(voided('1', { memberId: 'bob', purchaseId: 'B-1' }), sale('B-1'));
    await till.sends(refund('1', 1000));
    expect(await till.intents()).toEqual([
      ...['ada B-1 60.00 parked conflict', 'ada B-1 10.00 pending', 'bob B-1 60.00 parked missing-purchase'],
    ]);
  });

  it('a revocation does, too', async () => {
    expect(await till.sends(grantRevoked)).toEqual(['recorded']);
    expect(await till.intents()).toEqual(['ada parked missing-purchase']);
  });
});

describe('the void of a refund', () => {
  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
  });

  it('cancels it in time: what it took can be taken back again', async () => {
    await till.sends(sale('B-1'), refund('1', 6000), refundVoided('1', 6000), refund('2', 6000));
    await till.delivers();
    expect(await till.intents()).toEqual([
      ...['ada B-1 60.00 delivered', 'ada B-1 60.00 cancelled voided', 'ada B-1 60.00 delivered'],
    ]);
  });

  it.each(['answer', 'evidence'] as const)(
    'gives back what was delivered (by %s), as mapped; only then it can be taken back again',
    async (by) => {
      await till.sends(sale('B-1'), refund('1', 6000));
      await till.delivers(by);
      await till.sends(refundVoided('1', 6000), refund('2', 1000));
      await till.delivers(by);
      await till.sends(refund('3', 5000), refund('4', 1));
      await till.delivers();
      expect(await till.intents()).toEqual([
        'ada B-1 60.00 delivered',
        'ada B-1 60.00 delivered',
        'ada V-of-1 60.00 delivered',
        'ada B-1 10.00 delivered',
        'ada B-1 50.00 delivered',
        'ada B-1 0.01 parked over-refund',
      ]);
    },
  );

  it('that came before it cancels it when it comes', async () => {
    await till.sends(sale('B-1'), refundVoided('1', 6000));
    expect((await till.intents())[1]).toBe('ada V-of-1 60.00 parked missing-purchase');
    await till.sends(refund('1', 6000));
    expect((await till.intents()).slice(1)).toEqual([
      ...['ada V-of-1 60.00 cancelled voided', 'ada B-1 60.00 cancelled voided'],
    ]);
  });

  it('that came before it cancels it also where it stands in a list itself', async () => {
    await till.sends(refundVoided('1', 6000), refund('1', 6000), sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual([
      ...['ada V-of-1 60.00 cancelled voided', 'ada B-1 60.00 cancelled voided', 'ada B-1 60.00 delivered'],
    ]);
  });

  it('gives back no more than it says', async () => {
    await till.sends(sale('B-1'), refund('1', 6000));
    await till.delivers();
    await till.sends(refundVoided('1', 1000));
    expect((await till.intents())[2]).toBe('ada V-of-1 10.00 parked conflict');
    await till.delivers();
    await till.sends(refund('2', 6000));
    expect((await till.intents())[3]).toBe('ada B-1 60.00 parked over-refund');
  });

  it('that is not delivered yet goes before the void of the sale', async () => {
    await till.sends(sale('B-1'), refund('1', 6000));
    await till.delivers();
    await till.sends(refundVoided('1', 6000), voided('s', { purchaseId: 'B-1' }));
    expect((await till.intents()).slice(2)).toEqual([...['ada V-of-1 60.00 pending', 'ada B-1 60.00 parked conflict']]);
    await till.delivers();
    expect((await till.intents()).slice(2)).toEqual([...['ada V-of-1 60.00 delivered', 'ada B-1 60.00 delivered']]);
  });

  it('of another total is for a person', async () => {
    await till.sends(sale('B-1'), refund('1', 6000), refundVoided('1', 1000));
    expect(await till.intents()).toEqual(['ada B-1 60.00 pending', 'ada B-1 60.00 parked conflict']);
  });

  it('is of nobody else, whomever it names, and the same told twice', async () => {
    await till.sends(sale('B-1'), refund('1', 6000));
    await till.delivers();
    const by = (id: string, memberId?: string): EventSketch => voided(id, { memberId, original: { refundId: 'R-1' } });
    expect(await till.sends(by('m-0', 'bob'), by('m-1'))).toEqual([...['recorded', 'duplicate-business-key']]);
    expect((await till.intents()).slice(2)).toEqual(['ada V-m-0 60.00 pending']);
  });
});

it('the void of a refund that the program does not map stands in a list with its amount', async () => {
  till = await Till.open(testPrograms());
  await till.sends(sale('B-1'), refund('1', 6000));
  await till.delivers();
  await till.sends(refundVoided('1', 6000));
  expect((await till.intents()).slice(2)).toEqual(['ada V-of-1 60.00 parked unroutable']);
});

it('one return told by two systems is one where both name it, and a conflict where they disagree', async () => {
  till = await Till.open(testPrograms());
  const told = (id: string, minor: number, returnId?: string, purchaseId = 'B-1'): EventSketch => {
    const event = refund(id, minor, purchaseId);
    return { ...event, data: { ...event.data, returnId } };
  };
  await till.sends(sale('B-1'), sale('B-2'));
  expect(await till.sends(told('1', 1000, 'X-1'), told('W-1', 1000, 'X-1'))).toEqual([
    ...['recorded', 'duplicate-business-key'],
  ]);
  expect(await till.sends(told('W-2', 1000, 'X-1'), told('W-3', 2000, 'X-1'), told('W-4', 1000, 'X-1', 'B-2'))).toEqual(
    [...['duplicate-business-key', 'conflict', 'conflict']],
  );
  expect(await till.sends(told('2', 1000), told('3', 1000, 'X-3'), told('1', 1000, 'X-1'))).toEqual([
    ...['recorded', 'recorded', 'duplicate-event'],
  ]);
  expect((await till.intents()).slice(2)).toEqual(Array.from({ length: 3 }, () => 'ada B-1 10.00 pending'));
});

it.each([0, 100])(
  'a return that two systems tell of, one without a card, is one where that is remembered (%i days)',
  async (days) => {
    till = await Till.open(testPrograms(['purchases:', `anonymousReceiptDays: ${days}\n    purchases:`]));
    const told = (id: string, memberId?: string): EventSketch => {
      const event = refund(id, 1000, 'B-9');
      return { ...event, data: { ...event.data, memberId, returnId: 'X-1' } };
    };
    const second = days === 0 ? 'recorded' : 'duplicate-business-key';
    expect(await till.sends(told('1'), told('W-1', 'ada'))).toEqual(['no-member', second]);
    expect(await till.intents()).toEqual(days === 0 ? ['ada B-9 10.00 parked missing-purchase'] : []);
  },
);

it('a return is known by each number that it was told under', async () => {
  till = await Till.open(testPrograms(['completed:', mapped]));
  const event = { ...refund('W-1', 6000), data: { ...refund('W-1', 6000).data, returnId: 'X-1' } };
  await till.sends(sale('B-1'), { ...refund('1', 6000), data: { ...refund('1', 6000).data, returnId: 'X-1' } }, event);
  expect(await till.sends({ ...refund('W-1', 6000), id: 'again' })).toEqual(['duplicate-business-key']);
  await till.sends(refundVoided('W-1', 6000));
  expect(await till.intents()).toEqual(['ada B-1 60.00 pending', 'ada B-1 60.00 cancelled voided']);
});

it.each([
  ['known', '1', 'W-1'],
  ['other', 'W-1', '1'],
])(
  'a return that was delivered is given back once, by however many of its numbers (%s first)',
  async (_n, one, two) => {
    till = await Till.open(testPrograms(['completed:', mapped]));
    const returned = (id: string): EventSketch => {
      const event = refund(id, 6000);
      return { ...event, data: { ...event.data, returnId: 'X-1' } };
    };
    await till.sends(sale('B-1'), returned('1'), returned('W-1'));
    await till.delivers();
    expect(await till.sends(refundVoided(one, 6000), refundVoided(two, 6000))).toEqual([
      'recorded',
      'nothing-to-cancel',
    ]);
    expect(await till.intents()).toHaveLength(3);
  },
);

describe.each(waysToSend)('%s, a return that was voided in time', (way) => {
  const returned = (id: string, time: string): EventSketch => ({
    ...{ ...refund(id, 6000), frame: at(time) },
    data: { ...refund(id, 6000).data, returnId: 'X-1' },
  });

  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
  });

  it('and rung up again under its own number after that is for a person', async () => {
    const events = [sale('B-1'), returned('1', '09:30'), refundVoided('1', 6000), returned('2', '09:50')];
    await till.sendsBy(way, events);
    expect(await till.intents()).toEqual([
      ...['ada B-1 60.00 pending', 'ada B-1 60.00 cancelled voided', 'ada B-1 60.00 parked conflict'],
    ]);
    expect(await till.sends({ ...returned('2', '09:50'), id: 'again' })).toEqual(['duplicate-business-key']);
  });

  it('and told of by another system as of before that is the same one', async () => {
    const events = [sale('B-1'), returned('1', '09:30'), refundVoided('1', 6000), returned('W-1', '09:31')];
    expect((await till.sendsBy(way, events)).at(-1)).toBe('duplicate-business-key');
    expect(await till.intents()).toEqual(['ada B-1 60.00 pending', 'ada B-1 60.00 cancelled voided']);
  });
});

it('a return that is told under a number of its own and of another in one chunk stops nobody', async () => {
  till = await Till.open(testPrograms());
  const told = (id: string, event: string, returnId?: string): EventSketch => {
    const sketch = refund(id, 1000);
    return { ...sketch, id: event, data: { ...sketch.data, returnId } };
  };
  await till.sends(sale('B-1'), told('0', 'e0', 'X-1'));
  expect(await till.sends(told('1', 'e1', 'X-1'), told('1', 'e2'))).toEqual([
    ...['duplicate-business-key', 'duplicate-business-key'],
  ]);
  expect(await till.intents()).toEqual(['ada B-1 60.00 pending', 'ada B-1 10.00 pending']);
});

describe('a void told again after a person gave up the first', () => {
  const again = (first: EventSketch): EventSketch => ({ ...first, id: `${first.id}-again` });
  const shown = async (): Promise<string[]> => (await till.intents()).map((line) => line.split(' ').slice(2).join(' '));

  beforeEach(async () => {
    till = await Till.open(testPrograms(['completed:', mapped]));
    await till.sends(sale('B-1'), refund('1', 1000));
    await till.delivers();
  });

  it('regression: is for a person, and takes what is left when one sends it', async () => {
    const first = voided('1', { purchaseId: 'B-1' });
    await till.sends(first);
    await till.cancels('ada', 3);
    expect(await till.sends(first, again(first))).toEqual(['duplicate-event', 'recorded']);
    const standing = ['60.00 delivered', '10.00 delivered', '50.00 cancelled operator', '50.00 parked conflict'];
    expect(await shown()).toEqual(standing);
    expect(await till.sends(again(again(first)))).toEqual(['duplicate-business-key']);
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect(await shown()).toEqual([...standing.slice(0, 3), '50.00 delivered']);
    expect(await till.sends(again(again(again(first))))).toEqual(['duplicate-business-key']);
  });

  it('regression: also where it takes a return back', async () => {
    const first = refundVoided('1', 1000);
    await till.sends(first);
    await till.cancels('ada', 3);
    expect(await till.sends(again(first))).toEqual(['recorded']);
    expect((await shown()).slice(2)).toEqual(['10.00 cancelled operator', '10.00 parked conflict']);
  });
});
