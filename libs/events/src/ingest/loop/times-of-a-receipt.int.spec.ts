import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;

beforeEach(async () => {
  till = await Till.open(testPrograms());
});

afterEach(() => till.close());

const sale = (id: string, time: string, data: object = {}): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.completed.v1', frame: at(time) },
  data: { memberId: 'ada', purchaseId: 'B-1', ...data },
});

const voided = (id: string, time: string, data: object = {}): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.voided.v1', frame: at(time) },
  data: { memberId: 'ada', purchaseId: 'B-1', ...data },
});

const refund = (id: string, time: string): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.refunded.v1', frame: at(time) },
  data: { memberId: 'ada', refundId: 'R-1', purchaseId: 'B-1' },
});

describe.each(waysToSend)('%s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('a void that is older than the sale is a conflict, and the sale counts', async () => {
    expect(await told(sale('1', '09:00'), voided('2', '08:59'), voided('3', '08:58', { memberId: undefined }))).toEqual(
      [...['recorded', 'conflict', 'conflict']],
    );
    expect(await till.intents()).toEqual(['ada B-1 59.99 pending']);
    expect(await till.setAside()).toEqual(['conflict: void-before-sale', 'conflict: void-before-sale']);
    expect(await told(voided('4', '09:00'))).toEqual(['recorded']);
    expect(await till.intents()).toEqual(['ada B-1 59.99 cancelled voided']);
  });

  it('a sale that comes after a void from before it is for a person', async () => {
    expect(await told(voided('1', '08:59'), sale('2', '09:00'))).toEqual(['recorded', 'recorded']);
    expect(await till.intents()).toEqual(['ada B-1 59.99 cancelled voided', 'ada B-1 59.99 parked conflict']);
  });

  it('a sale that comes after its void is cancelled', async () => {
    expect(await told(voided('1', '09:00'), sale('2', '09:00'))).toEqual(['recorded', 'recorded']);
    expect(await till.intents()).toEqual(['ada B-1 59.99 cancelled voided', 'ada B-1 59.99 cancelled voided']);
  });

  it('rung up again after a void in time, it is for a person, and from then on the number is its own', async () => {
    expect(await told(sale('1', '09:00'), voided('2', '09:01'), sale('3', '09:02', { memberId: 'bob' }))).toEqual([
      ...['recorded', 'recorded', 'recorded'],
    ]);
    const stand = ['ada B-1 59.99 cancelled voided', 'bob B-1 59.99 parked conflict'];
    expect(await till.intents()).toEqual(stand);
    const again = [
      sale('3', '09:02', { memberId: 'bob' }),
      sale('4', '09:02', { memberId: 'bob' }),
      sale('5', '09:03'),
    ];
    expect(await told(...again)).toEqual(['duplicate-event', 'duplicate-business-key', 'conflict']);
    expect(await told(voided('6', '09:04', { memberId: 'bob' }))).toEqual(['recorded']);
    expect(await till.intents()).toEqual([stand[0], 'bob B-1 59.99 cancelled voided']);
  });

  it('another sale from before the void is a conflict', async () => {
    expect(await told(sale('1', '09:00'), voided('2', '09:02'), sale('3', '09:01'))).toEqual([
      ...['recorded', 'recorded', 'conflict'],
    ]);
  });

  it.each(['ada', 'bob'])(
    'what was to come back of the first one takes nothing of the one of %s, which has all of it',
    async (memberId) => {
      const again = { memberId, refundId: 'R-2', purchaseId: 'B-1' };
      await told(sale('1', '09:00'), refund('2', '09:01'), voided('3', '09:02'), sale('4', '09:03', { memberId }));
      expect(await told({ ...refund('5', '09:04'), data: again })).toEqual(['recorded']);
      const first = ['ada B-1 59.99 cancelled voided', 'ada B-1 50.41 pending'];
      const second = [`${memberId} B-1 59.99 parked conflict`, `${memberId} B-1 50.41 pending`];
      expect(await till.intents()).toEqual([...first, ...second]);
      await till.replays(memberId);
      await till.delivers();
      const stand = ['ada B-1 59.99 cancelled voided', 'ada B-1 50.41 parked missing-purchase'];
      expect(await till.intents()).toEqual([
        ...[...stand, `${memberId} B-1 59.99 delivered`, `${memberId} B-1 50.41 delivered`],
      ]);
      await till.replays('ada');
      expect((await till.intents()).slice(0, 2)).toEqual(stand);
    },
  );

  it('a number of another day is set aside as that', async () => {
    const dayBefore = { ...sale('2', '09:00'), frame: { time: '2026-11-20T09:00:00Z' } };
    expect(await told(sale('1', '09:00'), dayBefore, sale('3', '10:00'))).toEqual([
      ...['recorded', 'conflict', 'conflict'],
    ]);
    expect(await till.setAside()).toEqual(['conflict: other-day', 'conflict: business-key']);
  });

  it('of two that are rung up again the second is a conflict', async () => {
    await told(sale('1', '09:00'), voided('2', '09:01'));
    expect(await told(sale('3', '09:02'), sale('4', '09:03'), refund('5', '09:04'))).toEqual([
      ...['recorded', 'conflict', 'recorded'],
    ]);
    expect(await till.intents()).toEqual([
      ...['ada B-1 59.99 cancelled voided', 'ada B-1 59.99 parked conflict', 'ada B-1 50.41 pending'],
    ]);
  });
});
