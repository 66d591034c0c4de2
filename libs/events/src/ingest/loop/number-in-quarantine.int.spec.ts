import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till, waysToSend } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "34" }
      corrected: { transactionTypeId: "35", attributes: { of: purchaseId } }
      completed:`;

beforeEach(async () => {
  till = await Till.open(testPrograms(['completed:', mapped]));
});

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (memberId: string, time: string, data: object = {}): EventSketch => ({
  ...{ id: `s-${memberId}-${time}`, name: 'loyalty.purchase.completed.v1', frame: at(time) },
  data: { memberId, purchaseId: 'B-1', total: money(8000), ...data },
});
/** Under the number of another sale: a conflict. */
const ofBob = sale('bob', '09:10', { total: money(3000) });
/** It says another time than the one before, as a till that sends again may do. */
const ofAdaAgain = sale('ada', '09:10');
const wrongDigits = { total: { minor: 3000, currency: 'EUR', digits: 0 } };
const refund = (memberId: string | undefined, data: object = {}): EventSketch => ({
  ...{ id: `r-${memberId}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: 'R-1', purchaseId: 'B-1', total: money(3000), ...data },
});
const voided = (memberId: string | undefined, data: object = {}): EventSketch => ({
  ...{ id: `v-${memberId}`, name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId, purchaseId: 'B-1', total: money(8000), ...data },
});
const corrected = (memberId: string | undefined): EventSketch => ({
  ...{ id: `c-${memberId}`, name: 'loyalty.purchase.corrected.v1', frame: at('09:20') },
  data: { memberId, correctionId: 'C-1', purchaseId: 'B-1', previousTotal: money(8000), total: money(7000) },
});

const sold = 'ada B-1 80.00 pending';
const disputed = 'conflict: number-in-quarantine';

describe.each(waysToSend)('a number of which another sale lies in quarantine, %s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);
  /** A sale that counts, and one under its number that does not. */
  const twoSales = (): Promise<string[]> => told(sale('ada', '09:00'), ofBob);

  it.each<[what: string, event: EventSketch]>([
    ['a return by the member of the other one', refund('bob')],
    ['a return without a card', refund(undefined)],
    ['a return by a third member', refund('eve')],
    ['a void by the member of the other one', voided('bob')],
    ['a void without a card', voided(undefined)],
    ['a correction by the member of the other one', corrected('bob')],
    ['a correction without a card', corrected(undefined)],
  ])('regression: %s takes nothing of the sale that counts: a person sees it', async (_what, event) => {
    expect(await told(sale('ada', '09:00'), ofBob, event)).toEqual(['recorded', 'conflict', 'conflict']);
    expect(await till.intents()).toEqual([sold]);
    expect((await till.setAside()).slice(1)).toEqual([disputed]);
  });

  it('regression: nor does it of one that was delivered', async () => {
    await told(sale('ada', '09:00'));
    await till.delivers();
    expect(await told(ofBob, refund('bob'), voided(undefined))).toEqual(['conflict', 'conflict', 'conflict']);
    expect(await till.intents()).toEqual(['ada B-1 80.00 delivered']);
  });

  it.each<[what: string, event: EventSketch, stands: readonly string[]]>([
    ['a return', refund('ada'), [sold, 'ada B-1 30.00 pending']],
    ['a void', voided('ada'), ['ada B-1 80.00 cancelled voided']],
    ['a correction', corrected('ada'), [sold, 'ada B-1 10.00 cancelled corrected']],
  ])('%s that names the member of the sale that counts is of that', async (_what, event, stands) => {
    expect(await told(sale('ada', '09:00'), ofBob, event)).toEqual(['recorded', 'conflict', 'recorded']);
    expect(await till.intents()).toEqual(stands);
  });

  it('a void without a total is of the member whom it names, where the other one is not theirs', async () => {
    till.reloads(testPrograms());
    await told(sale('ada', '09:00'), ofBob);
    expect(await told(voided('ada', { total: null }))).toEqual(['recorded']);
    expect(await till.intents()).toEqual(['ada B-1 80.00 cancelled voided']);
  });

  it.each<[what: string, event: EventSketch, stands: readonly string[]]>([
    ['a return without a card', refund(undefined), [sold, 'ada B-1 30.00 pending']],
    ['a void without a card', voided(undefined), ['ada B-1 80.00 cancelled voided']],
    ['a correction without a card', corrected(undefined), [sold, 'ada B-1 10.00 cancelled corrected']],
  ])('%s is of its member where both are', async (_what, event, stands) => {
    await till.sends(sale('ada', '08:00', { purchaseId: 'B-0' }));
    expect(await told(sale('ada', '09:00'), ofAdaAgain, event)).toEqual(['recorded', 'conflict', 'recorded']);
    expect((await till.intents()).slice(1)).toEqual(stands);
  });

  it.each(['ada', undefined])(
    'regression: a void that names no total (member: %s) may mean either of one member',
    async (memberId) => {
      till.reloads(testPrograms());
      await till.sends(sale('ada', '08:00', { purchaseId: 'B-0' }));
      const event = voided(memberId, { total: null });
      expect(await told(sale('ada', '09:00'), ofAdaAgain, event)).toEqual(['recorded', 'conflict', 'conflict']);
      expect((await till.intents()).slice(1)).toEqual([sold]);
    },
  );

  it('regression: what was refused for another reason counts as well, whichever was told first', async () => {
    const refused = sale('bob', '08:50', wrongDigits);
    expect(await told(refused, sale('ada', '09:00'), refund('bob'))).toEqual(['invalid', 'recorded', 'conflict']);
    expect(await till.intents()).toEqual([sold]);
  });

  it('a return of a number of which nothing else is known waits for that, as ever', async () => {
    expect(await told(sale('bob', '08:50', wrongDigits), refund('bob'))).toEqual(['invalid', 'recorded']);
    expect(await till.intents()).toEqual(['bob B-1 30.00 parked missing-purchase']);
  });

  it('the same sale told again lies nowhere, and disputes nothing', async () => {
    expect(await told(sale('ada', '09:00'), { ...sale('ada', '09:00'), id: 'again' }, refund('bob'))).toEqual([
      ...['recorded', 'duplicate-business-key', 'recorded'],
    ]);
    expect(await till.intents()).toEqual([sold, 'ada B-1 30.00 pending']);
  });

  it('is another number in another shop, where the program says so', async () => {
    till.reloads(
      testPrograms(
        ['    purchases:', '    purchaseKey: [storeId, purchaseId]\n    purchases:'],
        ['receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }'],
        ['receipt: refundId', 'receipt: { join: [storeId, refundId] }'],
      ),
    );
    const elsewhere = { storeId: 'mainz-01' };
    await told(sale('ada', '09:00', elsewhere), sale('ada', '09:00'), ofBob);
    expect(await told(refund(undefined, elsewhere), voided(undefined))).toEqual(['recorded', 'conflict']);
  });

  it('regression: the void of a return takes none back of which another lies in quarantine', async () => {
    till.reloads(testPrograms());
    await told(sale('ada', '09:00'), refund('ada'), { ...refund('ada', { total: money(1000) }), id: 'r-other' });
    const of = { original: { refundId: 'R-1' }, total: null };
    expect(await told(voided('ada', { ...of, purchaseId: 'V-1' }))).toEqual(['conflict']);
    expect(await till.intents()).toEqual([sold, 'ada B-1 30.00 pending']);
  });

  it('what is set aside so is told again, and taken in, as long as it lies there, without effect', async () => {
    await twoSales();
    expect(await told(refund('bob'), refund('bob'))).toEqual(['conflict', 'conflict']);
    expect(await till.takesIn()).toEqual(['refused', 'refused', 'refused']);
    expect(await till.intents()).toEqual([sold]);
  });

  it('what is set aside so is taken in once the other one is given up', async () => {
    await twoSales();
    await told(voided(undefined));
    await till.givesUpFirst();
    expect(await till.takesIn()).toEqual(['done']);
    expect(await till.intents()).toEqual(['ada B-1 80.00 cancelled voided']);
  });

  it('what is set aside so is taken in once the other one is', async () => {
    await twoSales();
    await told(refund('bob'), { ...voided('ada'), frame: at('09:05') });
    expect(await till.takesIn()).toEqual(['done', 'done']);
    expect(await till.intents()).toEqual([
      ...['ada B-1 80.00 cancelled voided', 'bob B-1 30.00 parked conflict', 'bob B-1 30.00 pending'],
    ]);
  });

  it.each<[what: string, taken: EventSketch]>([
    ['another number', sale('bob', '09:10', { purchaseId: 'B-1b', total: money(3000) })],
    ['no member', sale('', '09:10', { total: money(3000) })],
  ])('regression: what is set aside so stays in doubt once the other one is taken in with %s', async (_what, taken) => {
    await twoSales();
    await told(refund('bob'), { ...refund(undefined, { refundId: 'R-2' }), id: 'r-2' });
    expect(await till.takesInFirst(taken)).toBe('done');
    expect(await till.takesIn()).toEqual(['refused', 'refused']);
    // What comes later has the old number, too.
    expect(await told({ ...refund('bob', { refundId: 'R-3' }), id: 'r-3' })).toEqual(['conflict']);
    expect(await till.takesInFirst(refund('ada'))).toBe('done');
    expect((await till.intents('ada')).slice(1)).toEqual(['ada B-1 30.00 pending']);
  });
});

const granted = (memberId: string, data: object = {}): EventSketch => ({
  ...{ id: `g-${memberId}`, name: 'loyalty.reward.granted.v1', frame: at('09:00') },
  data: { memberId, grantId: 'g-1', reward: 'free-coffee', ...data },
});
const revoked = (memberId: string): EventSketch => ({
  ...{ id: `w-${memberId}`, name: 'loyalty.reward.revoked.v1', frame: at('09:40') },
  data: { memberId, grantId: 'g-1' },
});

describe.each(waysToSend)('a grant number that two systems have used, %s', (way) => {
  const told = (...sketches: readonly EventSketch[]): Promise<string[]> => till.sendsBy(way, sketches);
  const another: EventSketch = { ...granted('ada', { validUntil: '2027-01-01T00:00:00Z' }), id: 'g-other' };

  it.each<[what: string, other: EventSketch, revocation: EventSketch]>([
    ['by the member of the other one', granted('bob'), revoked('bob')],
    ['by the member of both', another, revoked('ada')],
  ])(
    'regression: a revocation %s takes nothing of the one that counts: a person sees it',
    async (_what, other, again) => {
      expect(await told(granted('ada'), other, again)).toEqual(['recorded', 'conflict', 'conflict']);
      expect((await till.setAside()).slice(1)).toEqual([disputed]);
    },
  );

  it('a revocation by the member of the one that counts is of that, where the other one is not theirs', async () => {
    expect(await told(granted('ada'), granted('bob'), revoked('ada'))).toEqual(['recorded', 'conflict', 'recorded']);
    expect((await till.intents()).map((line) => line.split(' ').slice(1).join(' '))).toEqual([
      'B07-118834 cancelled revoked',
    ]);
  });
});
