import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const sale = (id: string, memberId: string, purchaseId = 'B-1'): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId },
});

const refund = (id: string, memberId: string | undefined, purchaseId = 'B-1'): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: `R-${id}`, purchaseId },
});

const erasure: EventSketch = {
  ...{ id: 'e', name: 'loyalty.member.opted-out.v1', frame: at('09:20') },
  data: { memberId: 'ada', scope: 'program', erase: true },
};

describe.each(waysToSend)('%s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it.each<[what: string, named: string | undefined]>([
    ['without a card', undefined],
    ['with an empty member', ''],
    ['with the card of who got it as a present', 'bob'],
    ['with the card of the sale', 'ada'],
  ])('a return %s is of the member who got the sale, and waits for that', async (_what, named) => {
    expect(await told(sale('1', 'ada'), refund('2', named), sale('3', 'bob', 'B-2'))).toEqual([
      ...['recorded', 'recorded', 'recorded'],
    ]);
    expect(await till.intents()).toEqual(['ada B-1 59.99 pending', 'ada B-1 50.41 pending', 'bob B-2 59.99 pending']);
    const { rows } = await till.database.execute({
      name: 'spec waits',
      text: 'SELECT seq, waits_for_seq FROM intent WHERE waits_for_seq IS NOT NULL OR waits_for_key IS NOT NULL',
    });
    expect(rows).toEqual([{ seq: 2, waits_for_seq: 1 }]);
  });

  it('of a receipt that nobody knows it is of whom it names, or of nobody, and then is known again', async () => {
    const again = refund('1', undefined);
    expect(await told(refund('1', undefined), refund('2', 'bob'), again)).toEqual([
      ...['no-member', 'recorded', 'duplicate-event'],
    ]);
    expect(await till.intents()).toEqual(['bob B-1 50.41 parked missing-purchase']);
  });

  it('told again it is the same, and with another member a conflict', async () => {
    const other = { ...refund('2', 'eve'), id: '9' };
    expect(await told(sale('1', 'ada'), refund('2', 'bob'), { ...refund('2', 'bob'), id: '8' }, other)).toEqual([
      ...['recorded', 'recorded', 'duplicate-business-key', 'conflict'],
    ]);
    expect(await till.intents()).toEqual(['ada B-1 59.99 pending', 'ada B-1 50.41 pending']);
  });

  it('of an erased member it is for a person, and brings nobody back', async () => {
    await told(sale('1', 'ada'), erasure);
    expect(await told(refund('2', undefined), refund('3', 'bob'))).toEqual(['conflict', 'conflict']);
    expect((await till.intents()).filter((line) => line.includes('50.41'))).toEqual([]);
  });

  it('of an erased member, told twice at once, neither leaves without a trace', async () => {
    await told(sale('1', 'ada'), erasure);
    expect(await told(refund('2', undefined), refund('2', undefined), { ...refund('2', 'bob'), id: '9' })).toEqual([
      ...['conflict', 'conflict', 'conflict'],
    ]);
    expect(await till.setAside()).toHaveLength(3);
  });
});
