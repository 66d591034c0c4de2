import { recordLateOutcomes } from './lanes/record-late-outcomes.js';
import { begin, claimOne, completion, record, stepOf } from '../testing/lease.js';
import { enrolment, now, originalOf, personal, purchase, Till } from '../testing/records.js';
import type { TestStore } from '../testing/test-store.js';
import { testStore } from '../testing/test-store.js';

let store: TestStore;

beforeAll(async () => {
  store = await testStore(2);
  await leaveTracesEverywhere();
});

afterAll(() => store.close());

const evidence = JSON.stringify({ request: { firstName: personal } });

/** Fills every table that this library writes from events, commands and evidence full of personal values. */
async function leaveTracesEverywhere(): Promise<void> {
  const till = new Till(store);
  await till.record(enrolment('e', 'm', personal), enrolment('f', 'm', `${personal}!`), purchase('p', 'm'));
  const original = { ...originalOf(personal, 9), key: Buffer.from(personal), headersText: `{"x":"${personal}"}` };
  await till.recordPrepared([
    { original, verdict: { kind: 'quarantine', reason: 'invalid', detail: 'person.email: x' } },
  ]);
  const lease = await begin(store, await claimOne(store));
  const { events, ...rest } = completion(lease, 'retry', {
    events: [{ type: 'AttemptNotApplied', at: now, attempt: 1, code: 'http-429', answered: true, retryAt: now }],
  });
  await record(
    store,
    stepOf(lease, { completion: { ...rest, events: events.map((item) => ({ ...item, evidence })) } }),
  );
  const event = { type: 'LateOutcome', at: now, attempt: 1, outcome: 'applied', code: 'applied' } as const;
  await recordLateOutcomes(
    store.database,
    [{ key: lease.key, laneId: lease.laneId, epoch: 1, seq: 1, event, evidence }],
    store.keys,
  );
}

async function tables(): Promise<string[]> {
  const rows = await store.sql<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Every row of a table as text; bytea shows as hex. */
async function rowsOf(table: string): Promise<string[]> {
  return (await store.sql<{ row: string }>(`SELECT t::text AS row FROM ${table} t`)).map(({ row }) => row);
}

/** How a value would look in the clear: as text, as bytes, as Base64. */
function disguises(value: string): string[] {
  const bytes = Buffer.from(value);
  return [value, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)];
}

it('no table holds a personal value in the clear', async () => {
  const found: string[] = [];
  for (const table of await tables()) {
    const rows = await rowsOf(table);
    const shown = disguises(personal).filter((text) => rows.some((row) => row.includes(text)));
    found.push(...shown.map((text) => `${table}: ${text}`));
  }
  expect(found).toEqual([]);
});

it('and that is no wonder of empty tables', async () => {
  const filled = [];
  for (const table of await tables()) if ((await rowsOf(table)).length > 0) filled.push(table);
  expect(filled).toEqual(
    expect.arrayContaining(['dedup', 'intent', 'intent_event', 'lane', 'member', 'member_key', 'quarantine']),
  );
  const sealed = await store.sql<{ type: string }>(
    'SELECT type FROM intent_history WHERE sealed IS NOT NULL ORDER BY version',
  );
  expect(sealed.map(({ type }) => type)).toEqual(['IntentCorrected', 'AttemptNotApplied', 'LateOutcome']);
});

it('a value in the clear would be found', async () => {
  await store.sql('UPDATE quarantine SET detail = $1, sealed_key = $2', personal, Buffer.from(personal));
  const [row] = await rowsOf('quarantine');
  expect(disguises(personal).filter((text) => row!.includes(text))).toHaveLength(2);
});
