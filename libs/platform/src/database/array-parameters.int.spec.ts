import fc from 'fast-check';

import { testDatabase } from '#test-support';

import { createDataSource } from './data-source.js';
import {
  booleanArray,
  encodeParameter,
  int4Array,
  int8Array,
  jsonbArray,
  timestamptzArray,
} from './array-parameters.js';
import type { SqlParameter } from './database.js';
import { TypeormDatabase } from './typeorm-database.js';

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

  /** Each element as text, as Postgres writes it; null where it is NULL. */
  async function texts(type: string, sent: SqlParameter): Promise<unknown> {
    const text = `SELECT to_json(array(SELECT e::text FROM unnest($1::${type}[]) WITH ORDINALITY AS u (e, n) ORDER BY n)) AS back`;
    const { rows } = await database.execute<{ back: unknown }>({ name: `texts ${type}`, text }, [sent]);
    return rows[0]?.back;
  }

  describe('of a type that the caller names', () => {
    async function areTexts<T>(
      type: string,
      array: (values: readonly (T | null)[]) => Uint8Array,
      [values, textOf]: readonly [fc.Arbitrary<T>, (value: T) => string],
    ): Promise<void> {
      const arrays = fc.array(fc.option(values), { maxLength: 20 });
      const property = fc.asyncProperty(arrays, async (sent) => {
        expect(await texts(type, array(sent))).toEqual(sent.map((value) => (value === null ? null : textOf(value))));
      });
      await fc.assert(property, { numRuns: 100, examples: [[[]], [[null]], [[null, null]]] });
    }

    it('are what they were: boolean', () => areTexts('boolean', booleanArray, [fc.boolean(), String]));

    it('are what they were: int4, to both ends', async () => {
      await areTexts('int4', int4Array, [fc.integer(), String]);
      const ends = [0, -1, 2_147_483_647, -2_147_483_648];
      expect(await texts('int4', int4Array(ends))).toEqual(ends.map(String));
    });

    it.each([2_147_483_648, -2_147_483_649, 0.5, NaN, Infinity])('are refused for int4: %d', (value) => {
      expect(() => int4Array([value])).toThrow(RangeError);
    });

    it('are what they were: int8, to the ends of what a number holds exactly', async () => {
      await areTexts('int8', int8Array, [fc.maxSafeInteger(), String]);
      const words = [2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1].flatMap((word) => [word, -word]);
      const ends = [0, -1, ...words, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
      expect(await texts('int8', int8Array(ends))).toEqual(ends.map(String));
    });

    it.each([2 ** 53, -(2 ** 53), 0.5, NaN, Infinity])('are refused for int8: %d', (value) => {
      expect(() => int8Array([value])).toThrow(RangeError);
    });

    const year1 = Date.parse('0001-01-01T00:00:00.000Z');
    const year9999 = Date.parse('9999-12-31T23:59:59.999Z');

    it('are the instant of their ISO text: timestamptz, from year 1 to year 9999', async () => {
      const edges = [year1, year9999, 0, -1, 1, Date.UTC(2_000, 0, 1), Date.UTC(2_000, 0, 1) - 1];
      const instants = fc.oneof(fc.integer({ min: year1, max: year9999 }), fc.constantFrom(...edges));
      const same = fc.asyncProperty(fc.array(fc.option(instants), { maxLength: 20 }), async (sent) => {
        const isoTexts = sent.map((at) => (at === null ? null : new Date(at).toISOString()));
        expect(await texts('timestamptz', timestamptzArray(sent))).toEqual(await texts('timestamptz', isoTexts));
      });
      await fc.assert(same, { numRuns: 100, examples: [[[]], [[null]], [edges]] });
    });

    it('are without end where they are infinite: timestamptz', async () => {
      expect(await texts('timestamptz', timestamptzArray([-Infinity, null, Infinity]))).toEqual([
        '-infinity',
        null,
        'infinity',
      ]);
    });

    it('lose what is less than a millisecond, as an ISO text does: timestamptz', async () => {
      const sent = [1_000.9, -1_000.9];
      const isoTexts = sent.map((at) => new Date(at).toISOString());
      expect(await texts('timestamptz', timestamptzArray(sent))).toEqual(await texts('timestamptz', isoTexts));
    });

    it('are refused where they are no time: timestamptz', () => {
      expect(() => timestamptzArray([NaN])).toThrow(RangeError);
    });

    it('are what they were: jsonb', async () => {
      const values = fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.stringify(value));
      const sound = values.filter((text) => !text.includes('\\u0000'));
      const property = fc.asyncProperty(fc.array(fc.option(sound), { maxLength: 20 }), async (sent) => {
        expect(await texts('jsonb', jsonbArray(sent))).toEqual(await texts('jsonb', sent));
      });
      await fc.assert(property, { numRuns: 100, examples: [[[]], [[null]], [['{"a":"\\"\\\\{}é😀"}', 'null', '[]']]] });
    });

    it('fail where the statement means another type', async () => {
      await expect(texts('int8', int4Array([1]))).rejects.toMatchObject({ kind: 'failed', sqlState: '42804' });
    });
  });
});
