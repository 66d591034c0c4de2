import fc from 'fast-check';

import { testDatabase } from '#test-support';

import { createDataSource } from './data-source.js';
import type { SqlParameter } from './database.js';
import { encodeParameter, TypeormDatabase } from './typeorm-database.js';

describe('parameters on their way to Postgres', () => {
  let database: TypeormDatabase;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const { url, dispose } = await testDatabase({ migrate: false });
    const onPoolError = (): void => undefined;
    const source = createDataSource({
      url,
      poolSize: 1,
      ssl: false,
      applicationName: 'spec',
      migrations: [],
      onPoolError,
    });
    await source.initialize();
    database = new TypeormDatabase(source);
    close = async () => {
      await source.destroy();
      await dispose();
    };
  });

  afterAll(() => close());

  async function echo(type: string, sent: SqlParameter): Promise<unknown> {
    const statement = { name: `echo ${type}`, text: `SELECT $1::${type} AS back` };
    const { rows } = await database.execute<{ back: unknown }>(statement, [sent]);
    return rows[0]?.back;
  }

  async function comesBack(type: string, values: fc.Arbitrary<SqlParameter>): Promise<void> {
    const arrays = fc.array(fc.option(values), { maxLength: 20 });
    const property = fc.asyncProperty(arrays, async (sent) => {
      expect(await echo(`${type}[]`, sent)).toEqual(sent);
    });
    await fc.assert(property, { numRuns: 100 });
  }

  it('come back as they were sent: bytes', () =>
    comesBack(
      'bytea',
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ));

  it('come back as they were sent: text with quotes, backslashes, braces and NULL as a word', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((candidate) => !candidate.includes('\u0000'));
    const hostile = fc.constantFrom('', 'NULL', '"', '\\', '{}', ',', ' ', '\\"', 'a\nb');
    return comesBack('text', fc.oneof(text, hostile));
  });

  it('come back as they were sent: numbers and booleans', async () => {
    await comesBack('int4', fc.integer());
    await comesBack('boolean', fc.boolean());
    const large = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    expect(await echo('int8[]', large)).toEqual(large);
  });

  it('keep views into a larger buffer apart', async () => {
    const whole = Buffer.from('0123456789');
    expect(await echo('bytea[]', [whole.subarray(2, 4), whole.subarray(7)])).toEqual([
      Buffer.from('23'),
      Buffer.from('789'),
    ]);
  });

  it('are left alone when they are no arrays', () => {
    const bytes = Buffer.from('x');
    expect([encodeParameter(bytes), encodeParameter(null), encodeParameter('{')]).toEqual([bytes, null, '{']);
  });
});
