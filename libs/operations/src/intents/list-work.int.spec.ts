import type { IntentDownloadQuery, IntentValuesView } from '#contracts';
import { intentDownloadQuerySchema, intentValuesQuerySchema } from '#contracts';
import { IngestKeys, MemberKeys } from '#intents';
import { Clock, Database } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import type { Actor } from '../access/operator.js';
import { JobFixture } from '../testing/job-fixture.js';
import { servicesOver } from '../testing/ports.js';
import { fingerprintMac, purchaseIn, refusePurchases } from '../testing/refused-purchases.js';
import { personalOf, program, purchase } from '../testing/sample-records.js';
import { IntentDownloads } from './intent-downloads.js';
import { IntentValues, valuesMax } from './list-values.js';

const words = 'attributes.campaign: must be a string';
const stores = ['lisboa', 'lisboa', 'lisboa', 'graz', 'graz', '=HYPERLINK("http://x")'];
const ada: Actor = { name: 'ada', role: 'viewer', programs: null, address: '127.0.0.1' };

let test: TestDatabase;
let fixture: JobFixture;
let values: IntentValues;
let downloads: IntentDownloads;

beforeAll(async () => {
  test = await testDatabase();
  fixture = await JobFixture.open(test.url);
  const { database, clock, keys } = fixture;
  const services = await servicesOver([
    [Database, database],
    [Clock, clock],
    [MemberKeys, keys],
    [IngestKeys, { mac: fingerprintMac }],
  ]);
  values = services.get(IntentValues);
  downloads = services.get(IntentDownloads);
  const refused = stores.map((store, index) => {
    const memberId = `m${index}`;
    return [memberId, purchaseIn(store, `p${index}`, memberId, '10.50')] as const;
  });
  await refusePurchases(fixture, new Map(refused), () => words);
  await fixture.record([purchase('q1', 'm1', '1'), purchase('q2', 'm2', '2')], fixture.clock.at);
});

afterAll(async () => {
  await fixture.close();
  await test.dispose();
});

async function valuesOf(query: object, programs: Actor['programs'] = null): Promise<IntentValuesView> {
  return values.list(intentValuesQuerySchema.parse(query), programs);
}

const counted = ({ items }: IntentValuesView): readonly (readonly [string, number])[] =>
  items.map(({ value, intents }) => [value, intents]);

describe('the values of a filter', () => {
  it.each<[object, readonly (readonly [string, number])[]]>([
    [
      { of: 'store', status: 'parked' },
      [
        ['lisboa', 3],
        ['graz', 2],
        ['=HYPERLINK("http://x")', 1],
      ],
    ],
    [{ of: 'store', has: 'LISB' }, [['lisboa', 3]]],
    [{ of: 'source' }, [['/till', 8]]],
    [{ of: 'operation', store: 'graz' }, [['transaction', 2]]],
    [{ of: 'program', status: 'parked' }, [[program, 6]]],
    [{ of: 'reason' }, [['rejected', 6]]],
    [{ of: 'reason', status: 'pending' }, []],
    [{ of: 'code', store: 'graz' }, [['refused', 2]]],
    [{ of: 'status', reason: 'rejected' }, [['parked', 6]]],
    [
      { of: 'status', q: 'm1' },
      [
        ['parked', 1],
        ['pending', 1],
      ],
    ],
  ])('%j', async (query, wanted) => {
    const found = await valuesOf(query);
    expect(counted(found)).toEqual(wanted);
    expect(found).toMatchObject({ more: 0, isExact: true });
  });

  it('are counted without what the query says of that very filter', async () => {
    const all = counted(await valuesOf({ of: 'store', status: 'parked' }));
    expect(counted(await valuesOf({ of: 'store', status: 'parked', store: 'graz' }))).toEqual(all);
    expect(counted(await valuesOf({ of: 'status', status: 'parked', store: 'graz' }))).toEqual([['parked', 2]]);
  });

  it('of a fingerprint are shown by what the partner said, and found by it', async () => {
    const { items } = await valuesOf({ of: 'fingerprint', has: 'CAMPAIGN' });
    expect(items).toEqual([{ value: expect.stringMatching(/^[0-9a-f]+$/) as string, intents: 6, wording: words }]);
  });

  it('are of those programs alone that a token is limited to', async () => {
    for (const name of ['store', 'reason', 'status', 'program']) {
      expect(await valuesOf({ of: name }, ['tea-club'])).toMatchObject({ items: [], countedOf: 0 });
    }
  });

  it('are so many at most, and it is said how many are left out', async () => {
    const many = Array.from({ length: valuesMax + 5 }, (_, index) =>
      purchaseIn(`s${index}`, `many-${index}`, `n${index}`),
    );
    await fixture.record(many);
    const { items, more } = await valuesOf({ of: 'store', status: 'pending' });
    // Two of the samples' own store are pending, too.
    expect([items.length, more]).toEqual([valuesMax, 6]);
  });
});

describe('a download', () => {
  const whole = async (query: object, actor = ada): Promise<string> => {
    const asked: IntentDownloadQuery = intentDownloadQuerySchema.parse(query);
    let text = '';
    for await (const part of downloads.partsOf(asked, actor)) text += part;
    return text;
  };

  it('has a line for each of the list in its order, with what the partner says, and no formula', async () => {
    const [head, ...lines] = (await whole({ status: 'parked', order: 'oldest' })).trimEnd().split('\n');
    expect(head).toBe(
      'intent,status,operation,program,member,purchase,amount,currency,store,source,reason,code,partnerSays,fingerprint,attempts,recordedAt,occurredAt,since,eventType,topic,partition,offset',
    );
    expect(lines).toHaveLength(stores.length);
    expect(lines[0]).toMatch(
      /^coffee-club~m0~1,parked,transaction,coffee-club,m0,p0,10\.50,EUR,lisboa,\/till,rejected,refused,attributes\.campaign: must be a string,/,
    );
    expect(lines.filter((line) => line.includes(`,"'=HYPERLINK(""http://x"")",`))).toHaveLength(1);
  });

  it('is lines of JSON where that is asked for, masked as the list is', async () => {
    const text = await whole({ status: 'parked', format: 'jsonl', store: 'graz' });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ storeId: 'graz', partnerSays: words }, { storeId: 'graz' }]);
    expect(text).not.toContain(personalOf('m3'));
  });

  it('says in its last line where the rest begins', async () => {
    const lines = (await whole({ status: 'parked', limit: 4 })).trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    const [, cursor] = /^not all: the rest begins at cursor=(.+)$/.exec(lines.at(-1) ?? '') ?? [];
    expect((await whole({ status: 'parked', cursor })).trimEnd().split('\n')).toHaveLength(3);
    expect(await whole({ status: 'parked', limit: 1, format: 'jsonl' })).toMatch(/\n\{"nextCursor":"[^"]+"\}\n$/);
  });

  it('ends for who is let in no more', async () => {
    await expect(whole({}, { ...ada, isStillIn: () => false })).rejects.toMatchObject({ options: { status: 401 } });
    await expect(whole({}, { ...ada, until: 1 })).rejects.toMatchObject({ options: { status: 401 } });
  });

  it('is of those programs alone that a token is limited to', async () => {
    expect((await whole({}, { ...ada, programs: ['tea-club'] })).trimEnd().split('\n')).toHaveLength(1);
  });
});
