import type { SentCall } from './match-list.js';
import { ListMatch, verdictOf } from './match-list.js';
import { canonicalAmount, csvOf, readPartnerList } from './partner-list.js';

const inFlightMs = 2_000;
const at = Date.parse('2026-11-20T10:00:00Z');

const sale = (change: Partial<SentCall> = {}): SentCall => ({
  ...{ intent: 'club~m-1~2', member: 'm-1', operation: 'transaction', type: '31', receipt: 'p-1', amount: '12.5' },
  ...{ firstSentAt: at, lastSentAt: at },
  ...change,
});
const reward = (change: Partial<SentCall> = {}): SentCall =>
  sale({ operation: 'reward', type: '9001', receipt: null, amount: null, ...change });
const matched = (list: string, ...known: readonly SentCall[]): ListMatch =>
  new ListMatch(readPartnerList(list), known, inFlightMs);
const presence = (list: string, call: SentCall, ...others: readonly SentCall[]): string =>
  matched(list, call, ...others).presence(call);

describe('a list of what the partner has', () => {
  it('is read as CSV, with commas or semicolons, quoted or not, and as JSON lines', () => {
    const row = { intent: null, member: 'm;1', type: '31', receipt: 'p"1', amount: '12.5', at: null };
    expect(readPartnerList('member,type,receipt,amount\r\n"m;1",31,"p""1",12.50\r\n')).toEqual([row]);
    expect(readPartnerList('\uFEFFunique_id;transactionTypeId;receipt;amount\n"m;1";31;"p""1";012.5')).toEqual([row]);
    expect(readPartnerList('{"member":"m;1","type":31,"receipt":"p\\"1","amount":"12.50"}\n')).toEqual([row]);
  });

  it.each([
    ['receipt,amount\np-1,"12', /row 2: its quotes/],
    ['receipt,amount\np-1,"12,50"', /row 1: the amount is no number/],
    ['receipt,at\np-1,yesterday', /row 1: the time/],
    ['p-1,12.50', /first line must name/],
    ['receipt,found\np-1,no', /column that is not known/],
    ['amount\n12.50', /row 1: it names neither/],
    ['{"receipt":"p-1"}\nx', /row 2: is no JSON/],
  ])('is refused with its row, and without what stands there: %s', (list, problem) => {
    const refused = ((): string => {
      try {
        return JSON.stringify(readPartnerList(list));
      } catch (error) {
        return (error as { readonly options: { readonly detail: string } }).options.detail;
      }
    })();
    expect(refused).toMatch(problem);
    expect(refused).not.toContain('yesterday');
  });

  it('is told the partner without formulas, and read again as it was', () => {
    const said = {
      intent: 'a~b~1',
      member: '=cmd()',
      operation: 'transaction',
      type: '31',
      receipt: '+1',
      reward: null,
    };
    const row = { ...said, amount: '-12.50', currency: 'EUR', sentAt: '2026-11-20T10:00:00.000Z' };
    expect(csvOf([row]).split('\n')[1]).toBe(`a~b~1,'=cmd(),transaction,31,'+1,,-12.50,EUR,2026-11-20T10:00:00.000Z`);
    const read = { intent: 'a~b~1', member: '=cmd()', type: '31', receipt: '+1', amount: '-12.5', at };
    expect(readPartnerList(csvOf([row]))).toEqual([read]);
    expect(readPartnerList(JSON.stringify(row))).toEqual([read]);
  });

  it('knows an amount however it is written', () => {
    expect(['12.50', '012.5', '-0.00', '+3', '1e3', ''].map(canonicalAmount)).toEqual([
      '12.5',
      '12.5',
      '0',
      '3',
      null,
      null,
    ]);
  });
});

describe('what a list says of a call', () => {
  const head = 'receipt,type,amount,member';

  it('settles it by receipt, amount and type together, and by less of them never', () => {
    expect(presence(`${head}\np-1,31,12.50,m-1`, sale())).toBe('listed');
    expect(presence(`${head}\np-1,31,12.51,m-1`, sale())).toBe('absent');
    expect(presence(`${head}\np-1,32,12.50,m-1`, sale())).toBe('absent');
    expect(presence(`${head}\np-1,31,12.50,m-2`, sale())).toBe('absent');
    expect(presence('receipt,type\np-1,31', sale())).toBe('absent');
    expect(presence('receipt,amount\np-1,12.50', sale())).toBe('absent');
  });

  it('leaves it where fewer rows are there than calls that they may be of', () => {
    const twin = sale({ intent: 'club~m-1~3' });
    expect(presence(`${head}\np-1,31,12.50,m-1`, sale(), twin)).toBe('ambiguous');
    expect(presence(`${head}\np-1,31,12.50,m-1\np-1,31,12.50,m-1`, sale(), twin)).toBe('listed');
  });

  it('is not misled by what was delivered before: a reward of another time is no proof', () => {
    const before = reward({ intent: 'club~m-1~1', firstSentAt: at - 9e8, lastSentAt: at - 9e8 });
    const [old, now] = ['2026-11-10T00:00:00Z', '2026-11-20T10:00:01Z'];
    expect(presence('member,reward\nm-1,9001', reward(), before)).toBe('ambiguous');
    expect(presence('member,reward\nm-1,9001\nm-1,9001', reward(), before)).toBe('listed');
    expect(presence(`member,reward,at\nm-1,9001,${old}`, reward(), before)).toBe('absent');
    expect(presence(`member,reward,at\nm-1,9001,${now}`, reward(), before)).toBe('listed');
    // Nothing that we know of explains that row.
    expect(presence(`member,reward,at\nm-1,9001,${old}`, reward())).toBe('ambiguous');
    expect(presence('member,reward\nm-1,9001', reward({ isUncertain: true }))).toBe('ambiguous');
  });

  it('is of the very call where the partner gives our own list back, unless it says otherwise', () => {
    expect(presence('intent,receipt\nclub~m-1~2,p-1', sale())).toBe('listed');
    expect(presence('intent,receipt,amount\nclub~m-1~2,p-1,13', sale())).toBe('ambiguous');
    expect(presence('intent,reward\nclub~m-1~2,9001', reward(), reward({ intent: 'club~m-1~1' }))).toBe('listed');
  });

  it('by absence says nothing, but within the time and the types that it has all of', () => {
    const complete = { from: at - 1_000, to: at + inFlightMs, types: ['31'] };
    const judged = (change: object, call: SentCall = sale()): string => {
      const said = { complete, doubt: null, inFlightMs, ...change };
      return verdictOf(matched(`${head}\np-9,31,1,m-9`, call), call, said).kind;
    };
    expect(judged({})).toBe('not-listed');
    expect(judged({ complete: null })).toBe('unproven');
    expect(judged({ doubt: '1 of 2 that we know to be delivered in that time are not in it' })).toBe('unproven');
    expect(judged({ complete: { ...complete, types: ['32'] } })).toBe('unproven');
    expect(judged({ complete: { ...complete, from: at + 1 } })).toBe('unproven');
    expect(judged({}, sale({ lastSentAt: at + 1 }))).toBe('unproven');
    expect(judged({}, sale({ firstSentAt: null, lastSentAt: null }))).toBe('unproven');
  });
});
