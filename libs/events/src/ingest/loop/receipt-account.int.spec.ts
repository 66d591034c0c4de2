import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;
const voids = 'voided: { transactionTypeId: "33", sign: -1 }\n      completed:';

beforeEach(async () => {
  till = await Till.open(testPrograms(['completed:', voids]));
});
afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (id: string, minor = 6000, memberId: string | undefined = 'ada'): EventSketch => ({
  ...{ id: `s-${id}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: id, total: money(minor) },
});
const refund = (id: string, minor: number, purchaseId = 'B-1', memberId: string | undefined = 'ada'): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: `R-${id}`, purchaseId, total: money(minor) },
});
const voided = (id: string, total: object | null = money(6000)): EventSketch => ({
  ...{ id: `v-${id}`, name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: id, total },
});

/** Events in one chunk, or in a chunk each: what is decided of a receipt is the same. */
describe.each(waysToSend)('%s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);

  it('not more comes back than was paid: only the excess parks', async () => {
    await told(sale('B-1'), refund('1', 2500), refund('2', 3000), refund('3', 1000), refund('4', 500));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 pending',
      'ada B-1 25.00 pending',
      'ada B-1 30.00 pending',
      'ada B-1 10.00 parked over-refund',
      'ada B-1 5.00 pending',
    ]);
  });

  it('a refund of a sale that was voided in time parks', async () => {
    await told(sale('B-1'), voided('B-1'), refund('1', 2500));
    expect(await till.intents()).toEqual(['ada B-1 60.00 cancelled voided', 'ada B-1 25.00 parked over-refund']);
  });

  it('a refund of a receipt that nobody knows steps aside, and comes back with its sale', async () => {
    await told(refund('1', 2500), sale('B-2'));
    expect(await till.intents()).toEqual(['ada B-1 25.00 parked missing-purchase', 'ada B-2 60.00 pending']);
    await told(sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual([
      ...['ada B-1 25.00 delivered', 'ada B-2 60.00 delivered', 'ada B-1 60.00 delivered'],
    ]);
  });

  it('of several that waited for their sale as many come back as it has', async () => {
    await told(refund('1', 2500), refund('2', 4000), sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 25.00 delivered',
      'ada B-1 40.00 parked over-refund',
      'ada B-1 60.00 delivered',
    ]);
  });

  it('a refund that waited is nothing to a sale that was voided before it came', async () => {
    await told(voided('B-1'), refund('1', 2500), sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 cancelled voided',
      'ada B-1 25.00 parked missing-purchase',
      'ada B-1 60.00 cancelled voided',
    ]);
  });

  it('a refund that waited names another member than its sale: a person must look', async () => {
    await told(refund('1', 2500, 'B-1', 'bob'), sale('B-1'));
    await till.delivers();
    expect(await till.intents()).toEqual(['ada B-1 60.00 delivered', 'bob B-1 25.00 parked missing-purchase']);
  });

  it('a void that comes too late takes what refunds have left, and nothing where they left nothing', async () => {
    await told(sale('B-1'), sale('B-2'), refund('1', 2500), refund('2', 6000, 'B-2'));
    await till.delivers();
    await told(voided('B-1'), voided('B-2'), refund('3', 100));
    await till.delivers();
    expect((await till.intents()).slice(2)).toEqual([
      'ada B-1 25.00 delivered',
      'ada B-2 60.00 delivered',
      'ada B-1 35.00 delivered',
      'ada B-1 1.00 parked over-refund',
    ]);
  });

  it('a refund of more than is left stays in its list when a person sends it again, unless an admin insists', async () => {
    await told(refund('1', 1000), refund('2', 6000), sale('B-1'));
    await till.delivers();
    await till.replays('ada');
    await till.delivers();
    expect(await till.intents()).toEqual([
      'ada B-1 10.00 delivered',
      'ada B-1 60.00 parked over-refund',
      'ada B-1 60.00 delivered',
    ]);
    await till.replays('ada', { isForced: true });
    await till.delivers();
    expect((await till.intents())[1]).toBe('ada B-1 60.00 delivered');
  });
});
