import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;
const unmapped = testPrograms();
/** The same file, mended: it maps what takes back. */
const mapped = testPrograms(
  [
    'completed:',
    'voided: { transactionTypeId: "33", sign: -1 }\n      refundVoided: { transactionTypeId: "34" }\n      corrected: { transactionTypeId: "35" }\n      completed:',
  ],
  ['rewards:', 'revoked: { id: "9003", pointsDelta: 10 }\n    rewards:'],
);

beforeEach(async () => {
  till = await Till.open(unmapped);
});
afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (id: string, minor = 6000): EventSketch => ({
  ...{ id: `s-${id}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId: 'ada', purchaseId: id, total: money(minor) },
});
const refund = (id: string, minor: number, purchaseId = 'B-1'): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId: 'ada', refundId: `R-${id}`, purchaseId, total: money(minor) },
});
const voided = (data: object, id = 'v-1'): EventSketch => ({
  ...{ id, name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'bob', purchaseId: 'B-1', total: money(6000), ...data },
});
const corrected = (total: number): EventSketch => ({
  ...{ id: 'c-1', name: 'loyalty.purchase.corrected.v1', frame: at('09:35') },
  data: {
    ...{ memberId: 'ada', purchaseId: 'B-1', correctionId: 'C-1' },
    ...{ previousTotal: money(6000), total: money(total) },
  },
});

interface LateEvent {
  readonly what: string;
  /** What is told before, and sent. */
  readonly before: readonly EventSketch[];
  readonly late: EventSketch;
  /** As it stands. */
  readonly line: string;
  /** By the mended file. */
  readonly call: object;
}

const lateEvents: readonly LateEvent[] = [
  {
    what: 'a void, of what its refunds have left',
    before: [sale('B-1'), refund('1', 1250)],
    late: voided({}),
    line: 'ada B-1 47.50',
    call: { operation: 'transaction', transactionTypeId: '33', amount: '-47.50', uniqueId: 'ada' },
  },
  {
    what: 'a void that names no total',
    before: [sale('B-1'), refund('1', 1250)],
    late: voided({ total: null }),
    line: 'ada B-1 47.50',
    call: { operation: 'transaction', transactionTypeId: '33', amount: '-47.50', uniqueId: 'ada' },
  },
  {
    what: 'a void of a refund',
    before: [sale('B-1'), refund('1', 1250)],
    late: voided({ purchaseId: 'V-9', original: { refundId: 'R-1' }, total: money(1250) }),
    line: 'ada V-9 12.50',
    call: { operation: 'transaction', transactionTypeId: '34', amount: '12.50', uniqueId: 'ada' },
  },
  {
    what: 'a correction',
    before: [sale('B-1')],
    late: corrected(5500),
    line: 'ada B-1 5.00',
    call: { operation: 'transaction', transactionTypeId: '35', amount: '-5.00', uniqueId: 'ada' },
  },
  {
    what: 'a revocation',
    before: [
      { id: 'g-1', name: 'loyalty.reward.granted.v1', data: { memberId: 'ada', grantId: 'G-1', purchaseId: null } },
    ],
    late: { id: 'x-1', name: 'loyalty.reward.revoked.v1', data: { memberId: 'bob', grantId: 'G-1' } },
    line: 'ada',
    call: { operation: 'reward', rewardId: '9003', pointsDelta: 10, uniqueId: 'ada' },
  },
];

describe.each(lateEvents)('$what that no file mapped', ({ before, late, line, call }) => {
  beforeEach(async () => {
    await till.sends(...before);
    await till.delivers();
    await till.sends(late);
  });

  it('regression: is sent once, by a replay, when the file maps it', async () => {
    const standing = async (): Promise<string | undefined> => (await till.intents())[before.length];
    expect(await standing()).toBe(`${line} parked unroutable`);
    expect(await till.replays('ada')).toEqual(['nothing-to-send']);
    till.reloads(mapped);
    expect(await till.replays('ada')).toEqual([]);
    expect((await till.commands())[before.length]).toMatchObject(call);
    expect(await standing()).toBe(`${line} pending`);
    await till.delivers();
    expect(await standing()).toBe(`${line} delivered`);
    expect(await till.replays('ada')).toEqual([]);
    // What names no total is no void any more.
    const isBare = (late.data as { readonly total?: object | null }).total === null;
    expect(await till.sends({ ...late, id: 'again' })).toEqual([isBare ? 'invalid' : 'duplicate-business-key']);
    expect(await till.intents()).toHaveLength(before.length + 1);
  });

  it('is settled by a word, whatever the file maps', async () => {
    till.reloads(mapped);
    await till.resolves('ada', before.length + 1);
    await till.delivers();
    expect((await till.intents())[before.length]).toBe(`${line} delivered`);
    expect((await till.commands())[before.length]).toBeNull();
  });

  it('is given up by a word, whatever the file maps', async () => {
    till.reloads(mapped);
    await till.cancels('ada', before.length + 1);
    await till.delivers();
    expect((await till.intents())[before.length]).toBe(`${line} cancelled operator`);
  });
});

describe('the account of a receipt', () => {
  const told = async (...sketches: readonly EventSketch[]): Promise<void> => {
    await till.sends(...sketches);
    await till.delivers();
  };

  it('counts a void from when it was recorded: nothing more comes back, before its call is known and after', async () => {
    await told(sale('B-1'));
    await told(voided({}), refund('1', 1000));
    till.reloads(mapped);
    expect(await till.replays('ada')).toEqual(['over-refund']);
    await told(refund('2', 1000), voided({}, 'v-2'));
    expect(await till.intents()).toEqual([
      'ada B-1 60.00 delivered',
      'ada B-1 60.00 delivered',
      ...['1', '2'].map(() => 'ada B-1 10.00 parked over-refund'),
    ]);
    expect(await till.amounts()).toEqual(['60.00', '-60.00', '-10.00', '-10.00']);
  });

  it('refuses a void after a refund that somebody has insisted on', async () => {
    await told(sale('B-1'));
    await told(voided({}));
    await told(refund('1', 1000));
    expect(await till.replays('ada', { isForced: true })).toEqual(['nothing-to-send']);
    await till.delivers();
    till.reloads(mapped);
    expect(await till.replays('ada')).toEqual(['over-refund']);
    expect(await till.intents()).toEqual([
      ...['ada B-1 60.00 delivered', 'ada B-1 60.00 parked unroutable', 'ada B-1 10.00 delivered'],
    ]);
    expect(await till.amounts()).toEqual(['60.00', null, '-10.00']);
  });
});

it('of a sale in doubt is planned at once, and goes when that is decided', async () => {
  await till.sends(sale('B-1'));
  await till.delivers('doubt');
  await till.sends(voided({}));
  await till.delivers();
  expect((await till.intents())[1]).toBe('ada B-1 60.00 parked unroutable');
  till.reloads(mapped);
  expect(await till.replays('ada')).toEqual(['in-doubt']);
  await till.delivers();
  expect((await till.intents())[1]).toBe('ada B-1 60.00 parked missing-purchase');
  await till.resolves('ada', 1);
  await till.delivers();
  expect((await till.intents())[1]).toBe('ada B-1 60.00 delivered');
  expect(await till.amounts()).toEqual(['60.00', '-60.00']);
});
