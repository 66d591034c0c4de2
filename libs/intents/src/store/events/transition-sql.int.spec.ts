import type { Transition } from '#intents/core';
import { TRANSITIONS } from '#intents/core';

import { testStore } from '../../testing/test-store.js';
import type { TestStore } from '../../testing/test-store.js';
import { eventCase, eventTypes, statusAfter } from './transition-sql.js';

/**
 * What the database does by itself with an event, held against the table of what events do. Who changes a row of the table
 * that the database repeats sees here the SQL of the migration that goes with it.
 */

let store: TestStore;

beforeAll(async () => {
  store = await testStore(1);
});

afterAll(() => store.close());

/** What the read model keeps of a status: what is open is told by the lane. */
const kept = ({ status, isShownByLane }: Transition): string | null =>
  status === undefined || isShownByLane || status === 'pending' || status === 'delivering' ? null : status;

const keptByTrigger = ({ status, isShownByLane }: Transition): string | null =>
  isShownByLane ? null : (status ?? null);

/** Every event, in every variant that the table tells apart: the data of each, and the row that holds for it. */
const variants = Object.entries(TRANSITIONS)
  .filter(([type]) => type !== 'IntentRecorded')
  .flatMap(([type, rows]) => rows.map((row) => ({ type, data: row.when ?? {}, row })));

function bodyOf(definition: string): string {
  return (/AS \$function\$\s*([\s\S]*?)\s*\$function\$/.exec(definition)?.[1] ?? '').trim();
}

async function definitionOf(name: string): Promise<string> {
  const [row] = await store.sql<{ definition: string }>(
    'SELECT pg_get_functiondef($1::text::regproc) AS definition',
    name,
  );
  return row?.definition ?? '';
}

async function valueOf(
  expression: string,
  { type, data }: { readonly type: string; readonly data: object },
): Promise<string | null> {
  const text = `SELECT ${expression} AS value FROM (SELECT $1::text AS type, $2::jsonb AS data) e`;
  const [row] = await store.sql<{ value: string | null }>(text, type, JSON.stringify(data));
  return row?.value ?? null;
}

describe('the read model of the statuses that no lane tells', () => {
  it('is kept by the function that the table gives', async () => {
    expect(bodyOf(await definitionOf('standing_after'))).toBe(
      `SELECT ${eventCase(kept, { type: 'type', data: 'data' })}`,
    );
  });

  it.each(variants)('takes $type $data as the table says', async ({ row, ...event }) => {
    const expected = row.isShownByLane ? null : kept(row);
    expect(await valueOf('standing_after(type, data)', event)).toBe(expected);
  });

  it('is written for just the events that change such a status', async () => {
    const [row] = await store.sql<{ definition: string }>(
      `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
       WHERE tgrelid = 'intent_event'::regclass AND tgname = 'intent_event_standing'`,
    );
    const types = [...(row?.definition ?? '').matchAll(/'(\w+)'::text/g)].map(([, type]) => type);
    expect(types.toSorted()).toEqual(eventTypes(keptByTrigger).toSorted());
  });
});

describe('the SQL made of the table', () => {
  it.each(variants)('finds the status after $type $data', async ({ row, ...event }) => {
    expect(await valueOf(statusAfter, event)).toBe(row.status ?? null);
  });

  it.each(variants)('counts $type $data', async ({ row, ...event }) => {
    const change = eventCase(({ counts }) => counts?.[1] ?? null, { type: 'type', data: 'data' });
    expect(await valueOf(`${change}::text`, event)).toBe(row.counts === undefined ? null : String(row.counts[1]));
  });
});
