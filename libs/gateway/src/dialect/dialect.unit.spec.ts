import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patternCharsMax } from '../limits.js';
import { DialectRegistry } from './dialect-registry.js';
import { describeDialect, DUPLICATE_PATTERN, NO_PASS_PATTERN } from './dialect-schema.js';
import { DialectError, loadDialectFile, parseDialect } from './parse-dialect.js';

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
    [{ schedule: { changeProperty: 'update', changeAt: 'top-level' } }, 'schedule.changeAt'],
    [{ brandAttribute: { names: { required: 'unique' } } }, 'brandAttribute.names'],
    [{ transactionAttribute: { names: { uniqueKey: 'required' } } }, 'transactionAttribute.names'],
    [{ transactionAttribute: { dataTypes: { date: 'string' } } }, 'transactionAttribute.dataTypes'],
    [{ status: { numbers: { ACTIVE: '200' } } }, 'status.numbers.ACTIVE'],
    [{ nonsense: 1 }, '(top)'],
  ])('refuses %j and names the path', (layer, path) => {
    expect(problemsOf(layer)).toEqual([expect.stringContaining(path)]);
  });

  it.each(['duplicate', 'noSuchPass'])(
    'refuses a pattern of %s that the partner can hold up, and names such a text',
    (section) => {
      expect(problemsOf({ [section]: { pattern: '^(?:receipt|receipt)+$' } })).toEqual([
        expect.stringMatching(new RegExp(`^${section}.pattern: takes too long at a text such as "receiptreceipt`)),
      ]);
    },
  );

  it('refuses a template that the partner can hold up', () => {
    expect(problemsOf({ duplicate: { templates: [`${'(a|)'.repeat(30)} <value>`] } })).toEqual([
      expect.stringContaining('duplicate.templates.0: takes too long'),
    ]);
  });
});

describe('DialectRegistry', () => {
  const coffee = { brandId: '101', programId: '2001' };
  const override = { program: 'coffee-club', ...coffee, overrides: { success: { proof: { issue: 'any' } } } };

  it('speaks a program its own dialect and all others the common one', () => {
    const registry = new DialectRegistry({ file: { tooManyRequests: 'unknown' }, programs: [override] });
    expect(registry.of(coffee).dialect).toMatchObject({
      success: { proof: { issue: 'any' } },
      tooManyRequests: 'unknown',
    });
    const other = registry.of({ brandId: '101', programId: '2002' }).dialect;
    expect(other).toMatchObject({ success: { proof: { issue: 'documented' } }, tooManyRequests: 'unknown' });
  });

  it('speaks the common dialect about a brand as a whole', () => {
    const registry = new DialectRegistry({ file: null, programs: [override] });
    expect(registry.of({ brandId: '101' }).dialect.success.proof.issue).toBe('documented');
  });

  it('names the program whose overrides are wrong', () => {
    const wrong = { ...override, overrides: { tooManyRequests: 1 } };
    expect(() => new DialectRegistry({ file: null, programs: [wrong] })).toThrow(
      /programs\.coffee-club\.dialect: tooManyRequests/,
    );
  });

  it('a reload with an invalid layer changes nothing', () => {
    const registry = new DialectRegistry({ file: null, programs: [override] });
    expect(() => registry.replace({ file: { nonsense: 1 }, programs: [] })).toThrow(DialectError);
    expect(registry.of(coffee).dialect.success.proof.issue).toBe('any');
    registry.replace({ file: null, programs: [] });
    expect(registry.of(coffee).dialect.success.proof.issue).toBe('documented');
  });

  it('reads success statuses as given', () => {
    const { isSuccessStatus } = new DialectRegistry({ file: { success: { statuses: [200] } }, programs: [] }).of(
      coffee,
    );
    expect([200, 201].map(isSuccessStatus)).toEqual([true, false]);
    const byDefault = new DialectRegistry().of(coffee).isSuccessStatus;
    expect([199, 200, 201, 202, 204].map(byDefault)).toEqual([false, true, true, false, false]);
    const every = new DialectRegistry({ file: { success: { statuses: '2xx' } }, programs: [] }).of(
      coffee,
    ).isSuccessStatus;
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
    ['a: [\n', /not readable as YAML/],
    ['tooManyRequests: maybe\n', /dialect\.yaml: tooManyRequests/],
    ['notApplied: { statuses: [429] }\n', /dialect\.yaml: notApplied\.statuses\.0/],
    // Of an earlier release: whoever set it must be told where it has gone, not that the key is unknown.
    ['emptySuccess: applied\n', /dialect\.yaml: emptySuccess: is replaced by success\.proof/],
    ['emptySuccess: unknown\n', /dialect\.yaml: emptySuccess: is replaced by success\.proof/],
  ])('refuses %j', async (text, message) => {
    await expect(load(text)).rejects.toThrow(message);
  });

  it.each([
    ['a: 1\na: planted-secret\n'],
    ['tooManyRequests: "planted-secret\n'],
    ['tooManyRequests: !planted-secret x\n'],
    ['tooManyRequests: *planted-secret\n'],
    ['? [planted-secret]\n: 1\n'],
    ['planted-secret\n'],
  ])('quotes nothing of %j, which may be a file of secrets', async (text) => {
    const warned = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    try {
      const { message } = (await load(text).catch((error: unknown) => error)) as Error;
      expect(message).toContain('dialect.yaml: ');
      expect(text.includes('?') || !message.includes('planted-secret')).toBe(true);
      expect(warned).not.toHaveBeenCalled();
    } finally {
      warned.mockRestore();
    }
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

const noPass = new RegExp(NO_PASS_PATTERN, 'iu');
const duplicate = new RegExp(DUPLICATE_PATTERN, 'iu');

describe('the default pattern of "no such pass"', () => {
  it.each([
    'Wallet pass not found',
    'No pass found for unique_id m_81273',
    'No wallet pass exists for the given identifier',
    'Could not find a wallet for this unique id',
    'Cannot find pass',
    "Can't find the card",
    'The member m_1 does not exist',
    "Person doesn't exist",
    'Unknown member m_1',
    'unique_id m_1 is unknown',
    'Cardholder has not been registered',
    'Not found: pass m_1',
    'no such card',
    'There is no cardholder with this identifier',
    'Pass could not be located',
    'No matching wallet',
  ])('fits "%s"', (message) => {
    expect(noPass.test(message)).toBe(true);
  });

  it.each([
    'Not Found',
    'unique_id is missing',
    'Unauthorized',
    'Missing Authentication Token',
    'Transaction type not found',
    'Reward 9001 does not exist',
    'Attribute receipt is required',
    'amount must be a number',
    'Program 2001 not found',
    'Duplicate value for attribute receipt',
    'Wallet pass already exists',
  ])('does not fit "%s"', (message) => {
    expect(noPass.test(message)).toBe(false);
  });
});

describe('the default pattern of a duplicate', () => {
  it.each([
    'Duplicate value for attribute receipt',
    'A transaction with receipt B07-1 already exists',
    'receipt B07-1 has already been used',
    'receipt must be unique',
    'receipt is not unique',
    'unique constraint violated: receipt',
    'unique_id m_1 is in use',
    'Identifier m_1 is taken',
  ])('fits "%s"', (message) => {
    expect(duplicate.test(message)).toBe(true);
  });

  it.each([
    'unique_id is required',
    'receipt is invalid',
    'Wallet pass not found',
    'uniqueId must be a string',
    'Conflict on receipt',
  ])('does not fit "%s"', (message) => {
    expect(duplicate.test(message)).toBe(false);
  });
});
