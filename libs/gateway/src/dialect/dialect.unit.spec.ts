import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patternCharsMax } from '../limits.js';
import { describeDialect } from './describe-dialect.js';
import { DialectBook } from './dialect-book.js';
import { DialectError } from './dialect-error.js';
import { loadDialectFile } from './load-dialect-file.js';
import { parseDialect } from './parse-dialect.js';

const problemsOf = (layer: Record<string, unknown>): readonly string[] => {
  try {
    parseDialect('test', layer);
    return [];
  } catch (error) {
    return (error as DialectError).problems;
  }
};

describe('parseDialect', () => {
  it('fills in every default', () => {
    expect(parseDialect('test')).toMatchObject({
      issue: { repeatIds: false, names: { tierId: 'templateTierId', smsSubscription: 'smsSubscription' } },
      success: {
        statuses: [200, 201],
        proof: { issue: 'documented', transaction: 'documented', 'schedule-update': 'documented' },
        requireMetaData: false,
      },
      tooManyRequests: 'not-applied',
      lookup: { absent: { statuses: [400, 404] }, trustWithoutMetaData: true },
      transaction: { negativeAmounts: true },
      schedule: { changeProperty: null },
    });
  });

  it('lays a program over the file, entry by entry, and replaces lists as a whole', () => {
    const file = { lookup: { absent: { statuses: [404], pattern: 'nobody' } }, success: { proof: { reward: 'any' } } };
    const merged = parseDialect('test', file, { lookup: { absent: { statuses: [410] }, trustWithoutMetaData: false } });
    expect(merged.lookup).toMatchObject({
      absent: { statuses: [410], pattern: 'nobody' },
      trustWithoutMetaData: false,
    });
    expect(merged.success.proof).toMatchObject({ reward: 'any', transaction: 'documented' });
  });

  it.each([
    [{ lookup: { absent: { patern: 'x' } } }, 'lookup.absent'],
    [{ duplicate: { pattern: '(' } }, 'duplicate.pattern'],
    [{ duplicate: { pattern: 'x'.repeat(patternCharsMax + 1) } }, 'duplicate.pattern'],
    [{ success: { statuses: [20] } }, 'success.statuses'],
    [{ issue: { names: { tierId: 'groupId' } } }, 'issue.names'],
    [{ issue: { names: { tierId: 'person' } } }, 'issue.names'],
    [{ success: { proof: { reward: 'none' } } }, 'success.proof.reward'],
    [{ success: { proof: { rewards: 'any' } } }, 'success.proof'],
    [{ person: { attributesProperty: 'email' } }, 'person.attributesProperty'],
    [{ list: { names: { groupId: 'unique_id' } } }, 'list.names'],
    [{ list: { names: { groupId: 'templateId' } } }, 'list.names'],
    [{ list: { firstPage: -1 } }, 'list.firstPage'],
    [{ schedule: { names: { dateTime: 'filters' } } }, 'schedule.names'],
    [{ schedule: { filterNames: { email: 'unique_id' } } }, 'schedule.filterNames'],
    [{ schedule: { changeProperty: 'timeZone' } }, 'schedule.changeProperty'],
    [{ brandAttribute: { names: { required: 'unique' } } }, 'brandAttribute.names'],
    [{ transactionAttribute: { names: { uniqueKey: 'required' } } }, 'transactionAttribute.names'],
    [{ transactionAttribute: { dataTypes: { date: 'string' } } }, 'transactionAttribute.dataTypes'],
    [{ status: { numbers: { ACTIVE: '200' } } }, 'status.numbers.ACTIVE'],
    [{ nonsense: 1 }, '(top)'],
  ])('refuses %j and names the path', (layer, path) => {
    expect(problemsOf(layer)).toEqual([expect.stringContaining(path)]);
  });
});

describe('DialectBook', () => {
  const coffee = { brandId: '101', programId: '2001' };
  const override = { program: 'coffee-club', ...coffee, overrides: { success: { proof: { issue: 'any' } } } };

  it('speaks a program its own dialect and all others the common one', () => {
    const book = new DialectBook({ file: { tooManyRequests: 'unknown' }, programs: [override] });
    expect(book.of(coffee).dialect).toMatchObject({ success: { proof: { issue: 'any' } }, tooManyRequests: 'unknown' });
    const other = book.of({ brandId: '101', programId: '2002' }).dialect;
    expect(other).toMatchObject({ success: { proof: { issue: 'documented' } }, tooManyRequests: 'unknown' });
  });

  it('speaks the common dialect about a brand as a whole', () => {
    const book = new DialectBook({ file: null, programs: [override] });
    expect(book.of({ brandId: '101' }).dialect.success.proof.issue).toBe('documented');
  });

  it('names the program whose overrides are wrong', () => {
    const wrong = { ...override, overrides: { tooManyRequests: 1 } };
    expect(() => new DialectBook({ file: null, programs: [wrong] })).toThrow(
      /programs\.coffee-club\.dialect: tooManyRequests/,
    );
  });

  it('a reload with an invalid layer changes nothing', () => {
    const book = new DialectBook({ file: null, programs: [override] });
    expect(() => book.replace({ file: { nonsense: 1 }, programs: [] })).toThrow(DialectError);
    expect(book.of(coffee).dialect.success.proof.issue).toBe('any');
    book.replace({ file: null, programs: [] });
    expect(book.of(coffee).dialect.success.proof.issue).toBe('documented');
  });

  it('reads success statuses as given', () => {
    const { isSuccessStatus } = new DialectBook({ file: { success: { statuses: [200] } }, programs: [] }).of(coffee);
    expect([200, 201].map(isSuccessStatus)).toEqual([true, false]);
    const byDefault = new DialectBook().of(coffee).isSuccessStatus;
    expect([199, 200, 201, 202, 204].map(byDefault)).toEqual([false, true, true, false, false]);
    const every = new DialectBook({ file: { success: { statuses: '2xx' } }, programs: [] }).of(coffee).isSuccessStatus;
    expect([199, 200, 299, 300].map(every)).toEqual([false, true, true, false]);
  });
});

describe('loadDialectFile', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dialect-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function load(text: string): Promise<unknown> {
    const path = join(folder, 'dialect.yaml');
    await writeFile(path, text);
    return loadDialectFile(path);
  }

  it('reads entries and an empty file', async () => {
    expect(await load('tooManyRequests: unknown\n')).toEqual({ tooManyRequests: 'unknown' });
    expect(await load('# nothing\n')).toEqual({});
  });

  it.each([
    ['- a\n', /must be a mapping/],
    ['a: [\n', /is no YAML/],
    ['tooManyRequests: maybe\n', /dialect\.yaml: tooManyRequests/],
    // Of an earlier release: whoever set it must be told where it has gone, not that the key is unknown.
    ['emptySuccess: applied\n', /dialect\.yaml: emptySuccess: is replaced by success\.proof/],
    ['emptySuccess: unknown\n', /dialect\.yaml: emptySuccess: is replaced by success\.proof/],
  ])('refuses %j', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  it('says that a file cannot be read', async () => {
    await expect(loadDialectFile(join(folder, 'none.yaml'))).rejects.toThrow(/none\.yaml: cannot be read/);
  });
});

describe('describeDialect', () => {
  it('describes every entry with its default', () => {
    const entries = describeDialect();
    expect(entries.length).toBeGreaterThan(70);
    expect(new Set(entries.map(({ path }) => path)).size).toBe(entries.length);
    for (const entry of entries) {
      expect(entry.description).toMatch(/\.$/);
      expect(JSON.parse(entry.default)).toBeDefined();
    }
    expect(entries).toContainEqual(expect.objectContaining({ path: 'lookup.absent.statuses', default: '[400,404]' }));
  });
});
