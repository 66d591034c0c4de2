import type { PreparedRecord } from '../batch/recording.js';
import { now, Till } from '../../testing/records.js';
import type { TestStore } from '../../testing/test-store.js';
import { testStore } from '../../testing/test-store.js';
import { eraseQuarantined } from '../erasure/erase-quarantined.js';
import { QuarantineCausesRepository } from './quarantine-causes.js';
import type { QuarantineFilter } from './quarantine-repository.js';
import { QuarantineRepository } from './quarantine-repository.js';

const all: QuarantineFilter = {
  ...{ reason: null, topic: null, detail: null, from: null, to: null, source: null, store: null, program: null },
};
const hour = 3_600_000;

interface Aside {
  readonly detail?: string;
  readonly source?: string;
  readonly memberId?: string;
  readonly purchaseId?: string;
  readonly amount?: string;
  readonly withheld?: true;
}

describe('what is set aside', () => {
  let store: TestStore;
  let till: Till;
  let causes: QuarantineCausesRepository;
  let quarantine: QuarantineRepository;

  beforeAll(async () => {
    store = await testStore(2);
    causes = new QuarantineCausesRepository(store.database, store.keys);
    quarantine = new QuarantineRepository(store.database, store.keys);
    till = new Till(store);
    for (let line = 0; line < 3; line += 1) {
      const detail = `event ${line + 1} of 3: data.lines[${line}].net: required`;
      await aside(
        { detail, source: '/till-3', memberId: 'm-1', purchaseId: `R-${line}`, amount: '19.50' },
        now + line * hour,
      );
    }
    await aside({ detail: 'data.lines[7].net: required', source: '/till-4', memberId: 'm-2', amount: '0.50' });
    await aside({ detail: 'data.total: required', source: '/till-3', memberId: 'm-3', purchaseId: 'R-0' });
    await aside({ detail: 'data.total: required', memberId: 'm-gone', purchaseId: 'R-gone', withheld: true });
  });

  afterAll(() => store.close());

  async function aside(of: Aside, at = now): Promise<void> {
    const { detail = 'd', source = null, memberId, purchaseId, amount, withheld } = of;
    const value = Buffer.from(JSON.stringify({ id: `e-${till.offset}`, data: { memberId, purchaseId } }));
    const original = { offset: till.offset, brokerAt: now, key: null, value, headersText: '{}' };
    const verdict = {
      kind: 'quarantine',
      reason: 'invalid',
      detail,
      ...(withheld && { isWithheld: withheld }),
    } as const;
    const stake = amount === undefined ? {} : { stake: { amount, currency: 'EUR' } };
    const record: PreparedRecord = { original, verdict, origin: { source, store: null, program: 'tea', ...stake } };
    await till.recordPrepared([record], at);
  }

  async function found(filter: Partial<QuarantineFilter>): Promise<number[]> {
    const page = { ...all, ...filter, state: 'any', before: null, limit: 10 } as const;
    return (await quarantine.browse(page)).items.map(({ quarantineId }) => quarantineId);
  }

  it('is grouped by rule and path: which line it was is no other cause; with who sent it, its money and its hours', async () => {
    const { causes: found, isExact } = await causes.list(all, now + 3 * hour);
    expect(isExact).toBe(true);
    expect(found).toHaveLength(2);
    expect(found[0]).toEqual({
      ...{ reason: 'invalid', cause: 'data.lines[#].net: required', detail: 'data.lines[7].net: required' },
      ...{ records: 4, newest: 4, firstAt: now, lastAt: now + 2 * hour },
      money: [{ amount: '59.00', currency: 'EUR' }],
      sources: [
        { name: '/till-3', records: 3 },
        { name: '/till-4', records: 1 },
      ],
      stores: [],
      hours: [0, 1, 2].map((at) => ({ at: Math.floor(now / hour + at) * hour, records: at === 0 ? 2 : 1 })),
    });
    expect(found[1]).toMatchObject({ records: 2, money: [] });
  });

  it('is grouped of those that a filter finds', async () => {
    const list = async (filter: Partial<QuarantineFilter>): Promise<number[]> =>
      (await causes.list({ ...all, ...filter }, now)).causes.map(({ records }) => records);
    expect(await list({ source: '/till-4' })).toEqual([1]);
    expect(await list({ memberId: 'm-1' })).toEqual([3]);
    expect(await list({ cause: 'data.total: required' })).toEqual([2]);
    expect(await list({ source: '/nobody' })).toEqual([]);
  });

  it.each<[Partial<QuarantineFilter>, number[]]>([
    [{ memberId: 'm-1' }, [3, 2, 1]],
    [{ number: 'R-0' }, [5, 1]],
    [{ number: 'R-0', memberId: 'm-3' }, [5]],
    [{ number: 'e-3' }, [4]],
    [{ memberId: 'm-' }, []],
    [{ memberId: 'R-0' }, []],
    [{ cause: 'data.lines[#].net: required', source: '/till-4' }, [4]],
  ])('is found by %j', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });

  it('is found by nothing of what is withheld, for its person is erased', async () => {
    expect(await found({ memberId: 'm-gone' })).toEqual([]);
    expect(await found({ number: 'R-gone' })).toEqual([]);
  });

  it('is found by no name any more once its bytes are erased', async () => {
    const audit = { at: now, actor: 'ada', address: null, reason: 'asked for it' };
    await store.database.transaction('erase', (session) => eraseQuarantined(session, { ids: [5], audit }, null));
    expect(await found({ number: 'R-0' })).toEqual([1]);
    const left = await store.sql('SELECT name_mac FROM quarantine_name WHERE quarantine_id = 5');
    expect(left).toEqual([]);
  });

  it('keeps nothing of the names in the clear', async () => {
    const [row] = await store.sql<{ text: string }>(
      `SELECT string_agg(q::text, ' ') || (SELECT string_agg(n::text, ' ') FROM quarantine_name n) AS text FROM quarantine q`,
    );
    expect(row?.text).not.toMatch(/m-1|R-0|m-2/);
  });
});
