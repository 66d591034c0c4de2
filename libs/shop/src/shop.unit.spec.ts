import { Chance } from './chance.js';
import type { Dials, ShopProgram } from './dials.js';
import { demoDials, drillDials, plainDials, simulationDials } from './dials.js';
import type { CloudEvent, Sent } from './event.js';
import { encode, eventsOf, nameOf, whatOf } from './event.js';
import type { OtherCall, OtherTerms } from './others.js';
import { otherRequest, OtherSystems } from './others.js';
import { Shop } from './shop.js';

const startsAt = Date.parse('2026-11-20T10:00:00Z');
const stepMs = 100;

const program: ShopProgram = { name: 'coffee', share: 1, rewards: ['free-coffee', 'sticker'], restartsReceipts: false };

interface Turned {
  readonly dials?: Partial<Omit<Dials, 'often'>>;
  readonly often?: Partial<Dials['often']>;
  readonly programs?: readonly ShopProgram[];
  readonly count?: number;
  readonly seed?: number;
}

/** What a shop sends that has these dials turned and no others; whatever was put off comes at the end. */
function sentBy({ dials = {}, often = {}, programs = [program], count = 400, seed = 1 }: Turned): Sent[] {
  const weights = { ...plainDials.often, joins: 2, buys: 5, ...often };
  return sentWith({ ...plainDials, ...dials, often: weights }, { programs, count, seed });
}

function sentWith(
  dials: Dials,
  {
    programs,
    count,
    seed,
  }: { readonly programs: readonly ShopProgram[]; readonly count: number; readonly seed: number },
): Sent[] {
  const shop = new Shop({ chance: new Chance(seed), dials, programs });
  const sent = Array.from({ length: count }, (_, index) => shop.next(startsAt + index * stepMs));
  const until = startsAt + count * stepMs;
  for (let held = shop.nextHeld(until); held !== null; held = shop.nextHeld(until)) sent.push(held);
  return sent;
}

function eventOf({ content }: Sent): CloudEvent {
  if (content.kind !== 'event') throw new Error('it is no event');
  return content.event;
}

const named = (sent: readonly Sent[], name: Sent['name']): Sent[] =>
  sent.filter((one) => one.name === name && one.part === null);
const datum = (sent: Sent, name: string): unknown => eventOf(sent).data[name];
const numberOf = (sent: Sent): string => JSON.stringify([datum(sent, 'storeId'), datum(sent, 'purchaseId')]);
const totalOf = (sent: Sent): unknown => (datum(sent, 'total') as { readonly minor: unknown }).minor;

describe('a shop', () => {
  it.each([
    ['the drills', drillDials],
    ['the demo', demoDials],
    ['the simulation', simulationDials(20_000)],
  ])('with the dials of %s is decided by its seed', (_whose, dials) => {
    const bytes = (seed: number): string => JSON.stringify(sentWith(dials, { programs: [program], count: 500, seed }));
    expect(bytes(7)).toBe(bytes(7));
    expect(bytes(8)).not.toBe(bytes(7));
  });

  it('in which nothing goes wrong enrols people and sells to them', () => {
    const sent = sentBy({});
    expect(new Set(sent.map(whatOf))).toEqual(new Set(['member.enrolled', 'purchase.completed']));
    expect(new Set(sent.map(({ fate }) => fate))).toEqual(new Set(['owed']));
    expect(new Set(named(sent, 'purchase.completed').map((one) => datum(one, 'purchaseId'))).size).toBe(
      named(sent, 'purchase.completed').length,
    );
  });

  it('puts nothing off once it is told so', () => {
    const shop = new Shop({ chance: new Chance(4), dials: drillDials, programs: [program] });
    for (let index = 0; index < 500; index += 1) shop.next(startsAt, { holdsBack: false });
    expect(shop.heldBack).toBe(0);
  });

  it('tells the first things again, as they were, when everything is over', () => {
    const dials = { ...plainDials, often: { ...plainDials.often, joins: 2, buys: 5 }, againAtTheEnd: 30 };
    const shop = new Shop({ chance: new Chance(4), dials, programs: [program] });
    const sent = Array.from({ length: 100 }, (_, index) => shop.next(startsAt + index * stepMs));
    const again = shop.again();
    expect(again.map(eventOf)).toEqual(sent.slice(0, 30).map(eventOf));
    expect(new Set(again.map(whatOf))).toEqual(new Set(['duplicate']));
  });

  it('that takes turns has done everything after so many records as its weights say', () => {
    const sent = sentWith(demoDials, { programs: [program], count: 200, seed: 3 });
    const reasons = sent.flatMap(({ fate }) => (typeof fate === 'object' ? [fate.setAside] : []));
    expect(new Set(reasons)).toEqual(
      new Set(['unreadable', 'invalid', 'unsupported-type', 'unknown-program', 'unroutable']),
    );
  });
});

describe('markets', () => {
  const sent = sentBy({ dials: { markets: 0.5 }, often: { returns: 3, exchanges: 2, errsAtMarkets: 2 } });
  const receipts = sent.filter(({ content }) => content.kind === 'receipt');

  it('are shopped at by some, whose sales and returns are told by receipts alone', () => {
    const here = new Set(receipts.flatMap(({ content }) => eventsOf(content).map(({ data }) => data['memberId'])));
    const elsewhere = named(sent, 'purchase.completed').filter(({ content }) => content.kind === 'event');
    expect(elsewhere.length).toBeGreaterThan(20);
    expect(elsewhere.filter((one) => here.has(datum(one, 'memberId')))).toEqual([]);
    expect(JSON.stringify(receipts.map(({ content }) => String(encode(content, 'structured').value)))).not.toMatch(
      /memberId|loyalty/,
    );
  });

  it('tell of an exchange in one receipt, first of what came back', () => {
    const told = receipts.map(({ content }) => eventsOf(content).map(nameOf)).filter((names) => names.length > 1);
    expect(told.length).toBeGreaterThan(5);
    expect(new Set(told.map((names) => names.join()))).toEqual(new Set(['purchase.refunded,purchase.completed']));
  });

  it('change nothing of what else is told', () => {
    const ids = (markets: number): string[] =>
      sentBy({ dials: { markets }, often: { returns: 3 } }).flatMap(({ content }) =>
        eventsOf(content).map(({ id, time }) => `${id} ${time}`),
      );
    expect(ids(0.5)).toEqual(ids(0));
  });

  it('write what nobody can use, and what asks for nothing', () => {
    const useless = receipts.filter(({ part }) => part === 'useless').map(({ fate }) => JSON.stringify(fate));
    expect(new Set(useless)).toEqual(
      new Set(['{"setAside":"unreadable"}', '{"setAside":"invalid"}', '{"setAside":"not-allowed"}', '"nothing"']),
    );
  });
});

describe('a dial', () => {
  it('restarts receipts in each store', () => {
    const programs = [{ ...program, restartsReceipts: true }];
    const sales = named(sentBy({ programs }), 'purchase.completed');
    expect(new Set(sales.map((one) => datum(one, 'purchaseId'))).size).toBeLessThan(sales.length / 2);
    expect(new Set(sales.map(numberOf)).size).toBe(sales.length);
  });

  it.each([
    [0, 0],
    [1, 1],
  ])('has returns and voids elsewhere name the original, at a share of %d', (namesOriginal, share) => {
    const sent = sentBy({ dials: { elsewhere: 1, namesOriginal }, often: { returns: 3, voids: 2 } });
    const sales = new Map(named(sent, 'purchase.completed').map((one) => [datum(one, 'purchaseId'), one]));
    const back = [...named(sent, 'purchase.refunded'), ...named(sent, 'purchase.voided')];
    expect(back.length).toBeGreaterThan(20);
    for (const one of back) {
      const sale = sales.get(datum(one, 'purchaseId'));
      expect(sale && datum(sale, 'storeId')).not.toBe(datum(one, 'storeId'));
    }
    expect(back.filter((one) => datum(one, 'original') !== undefined)).toHaveLength(share * back.length);
  });

  it('sends voids before their purchases', () => {
    const sent = sentBy({ dials: { voidsFirst: 1, lateMsMax: 2_000 }, often: { voids: 2 } });
    const places = new Map(named(sent, 'purchase.completed').map((one) => [numberOf(one), sent.indexOf(one)]));
    const voids = named(sent, 'purchase.voided');
    expect(voids.length).toBeGreaterThan(20);
    for (const one of voids) expect(places.get(numberOf(one))).toBeGreaterThan(sent.indexOf(one));
  });

  it.each([0, 1])('has voids disagree with their purchase, at a share of %d', (voidsDisagree) => {
    const sent = sentBy({ dials: { voidsDisagree }, often: { voids: 2 } });
    const totals = new Map(named(sent, 'purchase.completed').map((one) => [numberOf(one), totalOf(one)]));
    const voids = named(sent, 'purchase.voided');
    expect(voids.filter((one) => totals.get(numberOf(one)) !== totalOf(one))).toHaveLength(
      voidsDisagree * voids.length,
    );
  });

  it('sends purchases in a wrong form, voids them, and sends them again as they should be', () => {
    const sent = sentBy({ dials: { wrongFormFirst: 1, voidedMeanwhile: 1, lateMsMax: 3_000 } });
    const sales = named(sent, 'purchase.completed');
    expect(sales.length).toBeGreaterThan(20);
    for (const sale of sales) {
      const wrong = sent.findIndex((one) => one.part === 'useless' && eventOf(one).id === eventOf(sale).id);
      const voided = sent.findIndex((one) => one.name === 'purchase.voided' && numberOf(one) === numberOf(sale));
      expect(wrong).toBeGreaterThanOrEqual(0);
      expect(voided).toBeGreaterThan(wrong);
      expect(sent.indexOf(sale)).toBeGreaterThan(voided);
    }
  });

  it('has members leave and come back as somebody else', () => {
    const sent = sentBy({ dials: { comesBack: 1, comesBackMsMax: 5_000 }, often: { leaves: 1 } });
    const left = named(sent, 'member.opted-out').filter((one) => datum(one, 'scope') === 'program');
    expect(left.length).toBeGreaterThan(10);
    for (const one of left) {
      const enrolments = named(sent, 'member.enrolled').filter(({ key }) => key === one.key);
      const back = enrolments.find((other) => sent.indexOf(other) > sent.indexOf(one));
      expect(back && datum(back, 'tier')).toBe('gold');
    }
  });

  it('has households share an e-mail address', () => {
    const mails = (dials: Partial<Dials>): number => {
      const enrolled = named(sentBy({ dials }), 'member.enrolled');
      return new Set(enrolled.map((one) => /"email":"[^"]+"/.exec(JSON.stringify(datum(one, 'person')))?.[0])).size;
    };
    expect(mails({ households: 1 })).toBe(1);
    expect(mails({})).toBeGreaterThan(50);
  });

  it('has two producers number what they tell of the same members', () => {
    const sent = sentBy({ dials: { webShop: 0.5, numbered: 1 }, often: { changes: 5 } });
    const bySource = Map.groupBy(named(sent, 'member.updated').map(eventOf), ({ source }) => source);
    expect([...bySource.keys()].sort()).toEqual(['/crm', '/web/shop']);
    for (const events of bySource.values()) {
      const numbers = events.map(({ sequence }) => Number(sequence));
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    }
  });

  it('has clocks that are wrong, each always by the same', () => {
    const sent = sentBy({ dials: { wrongClocks: 0.5 } });
    const wrong = sent.map((one, index) => {
      const { source, time } = eventOf(one);
      return [source, Date.parse(time) - (startsAt + index * stepMs)] as const;
    });
    const skews = new Set(wrong.map(([source, ms]) => `${source} ${ms}`));
    expect(new Set(wrong.map(([source]) => source)).size).toBe(skews.size);
    expect(wrong.some(([, ms]) => ms > 59 * 60_000 && ms <= 3_600_000)).toBe(true);
    expect(wrong.some(([, ms]) => ms < -3_000_000)).toBe(true);
  });

  it('emits again later what was told before, under the id that it had or another', () => {
    const sent = sentBy({ often: { reemits: 3 } });
    const again = sent.filter(({ part }) => part !== null);
    expect(new Set(again.map(whatOf))).toEqual(new Set(['duplicate', 'told-anew', 'conflict']));
    for (const one of again) {
      const first = sent.find((other) => JSON.stringify(eventOf(other).data) === JSON.stringify(eventOf(one).data));
      expect(first && eventOf(first).time <= eventOf(one).time).toBe(true);
    }
  });

  it('sends what happened after what happened later', () => {
    const times = sentBy({ dials: { late: 0.3, lateMsMax: 3_000 } }).map((one) => Date.parse(eventOf(one).time));
    expect(times).not.toEqual(times.toSorted((one, other) => one - other));
  });
});

describe('other systems', () => {
  const callsWith = (dials: Partial<Dials>, seed = 1): OtherCall[] => {
    const others = new OtherSystems(new Chance(seed), { ...plainDials, ...dials });
    return sentBy({}).flatMap((sent) => others.before(sent) ?? []);
  };

  it('do nothing unless their dials are turned', () => {
    expect(callsWith({})).toEqual([]);
  });

  it('sell, reward, issue, change and opt out, to members of whom they have heard', () => {
    const calls = callsWith({ others: 0.5 });
    expect(new Set(calls.map(({ does }) => does))).toEqual(
      new Set(['sells', 'rewards', 'issues', 'changes', 'optsOut']),
    );
    const known = new Set(named(sentBy({}), 'member.enrolled').map((sent) => datum(sent, 'memberId')));
    for (const { does, memberId } of calls) expect(known.has(memberId)).toBe(does !== 'issues');
    expect(new Set(calls.map(({ number }) => number)).size).toBe(calls.length);
  });

  it('know 200 members at most, however many are enrolled', () => {
    const dials: { -readonly [Dial in keyof Dials]: Dials[Dial] } = { ...plainDials, others: 0 };
    const others = new OtherSystems(new Chance(1), dials);
    const sent = sentBy({ often: { buys: 0 }, count: 1_000 });
    expect(new Set(named(sent, 'member.enrolled').map((one) => datum(one, 'memberId'))).size).toBeGreaterThan(400);
    for (const one of sent) others.before(one);
    dials.others = 1;
    const [sale] = named(sentBy({}), 'purchase.completed');
    if (sale === undefined) throw new Error('nothing was bought');
    const calls = Array.from({ length: 5_000 }, () => others.before(sale));
    const known = calls.flatMap((call) => (call === null || call.does === 'issues' ? [] : [call.memberId]));
    expect(new Set(known).size).toBe(200);
  });

  it('take the number of a purchase before it is sent', () => {
    const calls = callsWith({ othersTakeReceipts: 1 });
    const bought = named(sentBy({}), 'purchase.completed').map((sent) => datum(sent, 'purchaseId'));
    expect(calls.map(({ takes }) => takes?.purchaseId)).toEqual(bought);
  });

  it('are decided by the seed', () => {
    expect(callsWith({ others: 0.5 }, 7)).toEqual(callsWith({ others: 0.5 }, 7));
    expect(callsWith({ others: 0.5 }, 8)).not.toEqual(callsWith({ others: 0.5 }, 7));
  });

  it('are told from us by the id of their requests', () => {
    const terms: OtherTerms = {
      brandId: '101',
      programId: '2001',
      transactionTypeId: '31',
      attributesOf: (receipt) => ({ receipt }),
      rewardId: '9001',
      updateWorkflowId: '78',
      issueWorkflowId: null,
    };
    const requests = callsWith({ others: 0.5 }).map((call) => otherRequest(call, terms, startsAt));
    expect(requests.every(({ requestId }) => /^other-\d+$/.test(requestId))).toBe(true);
    expect(new Set(requests.map(({ path }) => path.split('?')[0]?.split('/').at(-1)))).toEqual(
      new Set(['transactions', 'wallet-pass', 'issue-wallet', 'wallet-passes']),
    );
  });
});
