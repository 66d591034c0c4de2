import type { EventSketch } from '../testing/events.js';
import { testPrograms } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;
const mapped = `voided: { transactionTypeId: "33", sign: -1 }
      corrected: { transactionTypeId: "35", attributes: { of: purchaseId } }
      completed:`;

const open = async (corrected = mapped): Promise<void> => {
  till = await Till.open(testPrograms(['completed:', corrected]));
};

afterEach(() => till.close());

const money = (minor: number): object => ({ minor, currency: 'EUR', digits: 2 });
const sale = (minor: number, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `s-${memberId}`, name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId, purchaseId: 'B-1', total: money(minor) },
});
const corrected = (id: string, from: number, to: number): EventSketch => ({
  ...{ id: `c-${id}`, name: 'loyalty.purchase.corrected.v1', frame: at('09:10') },
  data: { memberId: 'ada', correctionId: `C-${id}`, purchaseId: 'B-1', previousTotal: money(from), total: money(to) },
});
const refund = (id: string, minor: number, memberId: string | null = 'ada'): EventSketch => ({
  ...{ id: `r-${id}`, name: 'loyalty.purchase.refunded.v1', frame: at('09:30') },
  data: { memberId, refundId: `R-${id}`, purchaseId: 'B-1', total: money(minor) },
});
const voided = (minor: number | null): EventSketch => ({
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:40') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: minor === null ? null : money(minor) },
});

/** `AMOUNT STATUS REASON` of each intent, by what it says now. */
async function stands(): Promise<string[]> {
  const amounts = await till.amounts();
  return (await till.intents()).map((line, index) =>
    [amounts[index] ?? 'no call', ...line.split(' ').slice(3)].join(' '),
  );
}

/** Money in lists, as they show it. */
async function listed(): Promise<string[]> {
  const text = `SELECT amount::text AS amount FROM intent_standing WHERE status = 'parked' ORDER BY lane_id, seq`;
  const { rows } = await till.database.execute<{ amount: string }>({ name: 'spec listed', text });
  return rows.map(({ amount }) => amount);
}

describe('a sale whose amount a person has corrected', () => {
  beforeEach(async () => {
    await open();
    await till.sends(sale(50_000));
    await till.delivers('refusal');
  });

  async function isSent(amount: string): Promise<void> {
    expect(await till.corrects('ada', 1, amount)).toBeNull();
    expect(await listed()).toEqual([amount]);
    await till.replays('ada');
    await till.delivers();
  }

  it('regression: not more comes back than by that, a void takes just that, and only the rest parks', async () => {
    await isSent('50.00');
    await till.sends(refund('1', 50_000), refund('2', 2000));
    await till.delivers();
    await till.sends(voided(5000));
    await till.delivers();
    expect(await stands()).toEqual([
      ...['50.00 delivered', '-500.00 parked over-refund', '-20.00 delivered', '-30.00 delivered'],
    ]);
  });

  it('regression: a void that names what the till told is for a person, by what is left', async () => {
    await isSent('50.00');
    await till.sends(voided(50_000));
    expect(await stands()).toEqual(['50.00 delivered', '-50.00 parked conflict']);
    expect(await till.replays('ada')).toEqual([]);
  });

  it('regression: it is corrected by the till from that, and comes back by the total of then', async () => {
    await isSent('50.00');
    await till.sends(corrected('1', 5000, 4500), refund('1', 4600), refund('2', 4500));
    await till.delivers();
    expect(await stands()).toEqual([
      ...['50.00 delivered', '-5.00 delivered', '-46.00 parked over-refund', '-45.00 delivered'],
    ]);
  });

  it('regression: what was raised can come back whole', async () => {
    await isSent('800');
    await till.sends(refund('1', 80_000), refund('2', 1));
    expect((await stands()).slice(1)).toEqual(['-800.00 pending', '-0.01 parked over-refund']);
  });

  it('regression: it is not lowered below what is to come back by itself, but then by less', async () => {
    await till.sends(refund('1', 50_000));
    await till.delivers();
    expect(await till.corrects('ada', 1, '50.00')).toBe('over-refund');
    expect(await till.corrects('ada', 2, '-50.00')).toBeNull();
    expect(await till.corrects('ada', 1, '50.00')).toBeNull();
    await till.replays('ada');
    await till.delivers();
    expect(await stands()).toEqual(['50.00 delivered', '-50.00 delivered']);
  });
});

describe('what takes back, whose amount a person has corrected', () => {
  beforeEach(() => open());

  it('regression: a return of too much is sent once it was corrected to what is left, and counts by that', async () => {
    await till.sends(sale(5000), refund('1', 3000), refund('2', 3000));
    await till.delivers();
    expect(await till.replays('ada')).toEqual(['over-refund']);
    expect(await till.corrects('ada', 3, '-20.01')).toBeNull();
    expect(await till.replays('ada')).toEqual(['over-refund']);
    expect(await till.corrects('ada', 3, '-20.00')).toBeNull();
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    await till.sends(refund('3', 1));
    expect((await stands()).slice(1)).toEqual(['-30.00 delivered', '-20.00 delivered', '-0.01 parked over-refund']);
  });

  it('regression: what is about to be sent is not corrected to more than is left', async () => {
    await till.sends(sale(5000), refund('1', 3000));
    expect(await till.corrects('ada', 2, '-50.01')).toBe('over-refund');
    expect(await till.corrects('ada', 2, '-50.00')).toBeNull();
    await till.sends(refund('2', 1));
    expect((await stands()).slice(1)).toEqual(['-50.00 pending', '-0.01 parked over-refund']);
  });

  it('regression: a difference counts by what a person has made of it', async () => {
    await till.sends(sale(5000));
    await till.delivers();
    await till.sends(corrected('1', 5000, 4500));
    expect(await till.corrects('ada', 2, '-10.00')).toBeNull();
    await till.delivers();
    await till.sends(corrected('2', 4500, 4400), refund('1', 4001), refund('2', 3000));
    await till.delivers();
    await till.sends(voided(4000));
    await till.delivers();
    expect((await stands()).slice(1)).toEqual([
      ...[
        '-10.00 delivered',
        '-1.00 parked conflict',
        '-40.01 parked over-refund',
        '-30.00 delivered',
        '-10.00 delivered',
      ],
    ]);
  });

  it('regression: one that waited for its sale comes back by what a person has made of it', async () => {
    await till.sends(refund('1', 6000), corrected('1', 5000, 4500));
    expect(await till.corrects('ada', 1, '-40.00')).toBeNull();
    expect(await till.corrects('ada', 2, '-10.00')).toBeNull();
    await till.sends(sale(5000));
    await till.delivers();
    expect(await stands()).toEqual(['-40.00 delivered', '-10.00 delivered', '50.00 delivered']);
  });

  it('regression: of a sale without a card it takes what a person has made of it', async () => {
    await till.sends(refund('1', 3000));
    expect(await till.corrects('ada', 1, '-20.00')).toBeNull();
    await till.sends(sale(5000, null), sale(5000));
    expect((await stands()).slice(1)).toEqual(['30.00 parked conflict']);
  });
});

describe('a void while something that came back is not settled', () => {
  beforeEach(() => open('voided: { transactionTypeId: "33", sign: -1 }\n      completed:'));

  it('regression: takes what is left once that has come to something, when a person sends it', async () => {
    await till.sends(sale(5000));
    await till.delivers();
    await till.sends(refund('1', 2000));
    await till.delivers('doubt');
    await till.sends(voided(5000));
    expect((await stands()).slice(1)).toEqual(['-20.00 parked unknown-outcome', '-30.00 parked conflict']);
    await till.resolves('ada', 2);
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect((await stands()).slice(1)).toEqual(['-20.00 delivered', '-30.00 delivered']);
  });

  it('regression: and all of it where that has come to nothing', async () => {
    await till.sends(sale(5000));
    await till.delivers();
    await till.sends(refund('1', 2000), voided(5000));
    await till.cancels('ada', 2);
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect((await stands()).slice(1)).toEqual(['-20.00 cancelled operator', '-50.00 delivered']);
  });

  it('regression: what a person has made of it stays', async () => {
    await till.sends(sale(5000));
    await till.delivers();
    await till.sends(refund('1', 2000), voided(5000));
    await till.cancels('ada', 2);
    expect(await till.corrects('ada', 3, '-10.00')).toBeNull();
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect((await stands()).slice(2)).toEqual(['-10.00 delivered']);
  });

  it('regression: a correction that no call was mapped for is sent beside it, in whatever order', async () => {
    await till.sends(sale(5000));
    await till.delivers();
    await till.sends(corrected('1', 5000, 4000), refund('1', 1500), voided(4000));
    till.reloads(testPrograms(['completed:', mapped]));
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect((await stands()).slice(1)).toEqual(['-10.00 delivered', '-15.00 delivered', '-25.00 delivered']);
  });
});

describe('a sale without a card of which some came back, claimed', () => {
  beforeEach(async () => {
    await open();
    await till.sends(sale(5000, null), refund('1', 2000, null), sale(5000));
  });

  it('regression: is sent by what was left of it, and a void by its total takes just that', async () => {
    expect(await listed()).toEqual(['30.00']);
    expect(await stands()).toEqual(['30.00 parked conflict']);
    await till.replays('ada');
    await till.delivers();
    await till.sends(voided(5000));
    await till.delivers();
    expect(await stands()).toEqual(['30.00 delivered', '-30.00 delivered']);
  });

  it('regression: is cancelled by a void by its total, or by what was left', async () => {
    await till.sends(voided(5000));
    expect(await stands()).toEqual(['30.00 cancelled voided']);
  });

  it('regression: is not corrected from a total that is not what is left: a person must look', async () => {
    await till.sends(corrected('1', 5000, 4500));
    expect(await stands()).toEqual(['30.00 parked conflict', '-5.00 parked conflict']);
  });

  it('regression: comes back whole where a person says that all of it is theirs', async () => {
    expect(await till.corrects('ada', 1, '50.00')).toBeNull();
    await till.replays('ada');
    await till.delivers();
    await till.sends(voided(5000));
    await till.delivers();
    expect(await stands()).toEqual(['50.00 delivered', '-50.00 delivered']);
  });
});
