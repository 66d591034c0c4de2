import { testPrograms } from '../testing/events.js';
import type { EventSketch } from '../testing/events.js';
import { at, Till } from '../testing/till.js';

let till: Till;

const money = { minor: 6000, currency: 'EUR', digits: 2 };
const sale: EventSketch = {
  ...{ id: 's', name: 'loyalty.purchase.completed.v1', frame: at('09:00') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money },
};
const voided: EventSketch = {
  ...{ id: 'v', name: 'loyalty.purchase.voided.v1', frame: at('09:10') },
  data: { memberId: 'ada', purchaseId: 'B-1', total: money },
};
const granted = (purchaseId: string | null, memberId = 'ada'): EventSketch => ({
  ...{ id: 'g', name: 'loyalty.reward.granted.v1', frame: at('09:20') },
  data: { memberId, grantId: 'g-1', reward: 'free-coffee', purchaseId },
});

/** What became of the reward. */
const reward = async (): Promise<string | undefined> => {
  const [found] = await till.database
    .execute<{ status: string }>({
      name: 'spec reward',
      text: `SELECT concat_ws(' ', COALESCE(s.status, 'sent or pending'), s.reason) AS status FROM intent i
LEFT JOIN intent_standing s USING (lane_id, seq) WHERE i.operation = 'reward'`,
    })
    .then(({ rows }) => rows);
  return found?.status;
};

beforeEach(async () => {
  till = await Till.open(
    testPrograms(['completed:', 'voided: { transactionTypeId: "33", sign: -1 }\n      completed:']),
  );
  await till.sends(sale);
  await till.delivers();
});

afterEach(() => till.close());

describe('a reward that names a sale', () => {
  it.each<[told: string, events: readonly EventSketch[]]>([
    ['granted after', [voided, granted('B-1')]],
    ['that was to be sent before', [granted('B-1'), voided]],
    ['for somebody else after', [voided, granted('B-1', 'bob')]],
  ])('regression: %s that was voided too late to cancel it, is for a person', async (_told, events) => {
    await till.sends(...events);
    await till.delivers();
    expect(await reward()).toBe('parked conflict');
    expect(await till.reasons()).toContain('the sale that it names was taken back');
  });

  it('is given where a person sends it all the same', async () => {
    await till.sends(voided, granted('B-1'));
    await till.delivers();
    expect(await till.replays('ada')).toEqual([]);
    await till.delivers();
    expect(await reward()).toBe('sent or pending');
  });

  it('is given where a person has given up the void', async () => {
    await till.sends(voided, granted('B-1'));
    await till.cancels('ada', 2);
    await till.delivers();
    expect(await reward()).toBe('sent or pending');
  });

  it('is given where another sale was voided', async () => {
    await till.sends(voided, granted(null));
    await till.delivers();
    expect(await reward()).toBe('sent or pending');
  });
});
