import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalogue } from './catalogue.js';
import { loadSeed, parseSeed } from './load-seed.js';

describe('the default seed', () => {
  let catalogue: Catalogue;

  beforeAll(async () => {
    catalogue = new Catalogue(await loadSeed(null));
  });

  it('has a program with direct issue and one whose enrolment goes through workflow 77', () => {
    const direct = catalogue.program({ brandId: '101', programId: '2001' });
    const workflow = catalogue.program({ brandId: '101', programId: '2002' });
    expect([direct.enrolment, [...direct.workflows.values()]]).toEqual(['direct', [{ id: '78', does: 'update' }]]);
    expect([workflow.enrolment, [...workflow.workflows.values()]]).toEqual([
      'workflow',
      [
        { id: '77', does: 'issue' },
        { id: '78', does: 'update' },
      ],
    ]);
  });

  it('has template 11, tiers 1 and 2, and two rewards', () => {
    const program = catalogue.program({ brandId: '101', programId: '2001' });
    expect([program.templates.map((template) => template.id), program.tiers]).toEqual([[11], [1, 2]]);
    expect([...program.rewards.values()]).toEqual([
      { id: '9001', points: -10 },
      { id: '9002', points: 0 },
    ]);
  });

  it.each([
    ['31', ['store', 'receipt', 'campaign', 'system'], ['receipt']],
    ['32', ['receipt', 'of'], ['receipt']],
    ['33', [], []],
  ])('has transaction type %s', (id, names, unique) => {
    const type = catalogue.program({ brandId: '101', programId: '2001' }).transactionTypes.get(id);
    expect(type?.attributes.map((attribute) => attribute.name)).toEqual(names);
    expect(type?.attributes.filter((attribute) => attribute.unique).map((attribute) => attribute.name)).toEqual(unique);
  });

  it('tells cardholders apart by metaData.memberId in brand 101 and by e-mail in brand 102', () => {
    const first = catalogue.program({ brandId: '101', programId: '2002' });
    const second = catalogue.program({ brandId: '102', programId: '2101' });
    expect(first.uniqueIdentifier).toEqual({ kind: 'metaData', key: 'memberId' });
    expect(second.uniqueIdentifier).toEqual({ kind: 'email', key: 'memberId' });
  });

  it('has no program 2101 in brand 101', () => {
    expect(() => catalogue.program({ brandId: '101', programId: '2101' })).toThrow('No such program');
  });
});

describe('a seed file', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-seed-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is YAML, with ids as text or numbers', async () => {
    const file = join(folder, 'seed.yaml');
    await writeFile(
      file,
      'brands: [{ id: 7, uniqueIdentifier: metaData.card, programs: [{ id: 8, templates: [1] }] }]',
    );
    const seed = await loadSeed(file);
    expect(seed.brands[0]).toMatchObject({ id: '7', programs: [{ id: '8', enrolment: 'direct', rewards: [] }] });
  });

  it('names brands, templates and brand attributes, or leaves that to the sandbox', () => {
    const attributes = [{ id: 5, name: 'shop', dataType: 'number', required: true }];
    const templates = [11, { id: 12, name: 'gold', passType: 'EVENT' }, { id: 13 }];
    const program = { id: 1, templates };
    const brand = { id: 1, uniqueIdentifier: 'email', brandAttributes: attributes, programs: [program] };
    const seed = parseSeed({ brands: [brand, { id: 2, name: 'Bean', uniqueIdentifier: 'email' }] });
    const catalogue = new Catalogue(seed);
    expect(catalogue.brand({ brandId: '1' })).toMatchObject({
      name: 'brand 1',
      statusCode: 'ACTIVE',
      attributes: [{ id: 5, name: 'shop', dataType: 'number', required: true, unique: false, statusCode: 'ACTIVE' }],
    });
    expect(catalogue.brand({ brandId: '2' })).toMatchObject({ name: 'Bean', attributes: [] });
    expect(catalogue.program({ brandId: '1', programId: '1' }).templates).toEqual([
      { id: 11, name: 'template 11', passType: 'GENERIC' },
      { id: 12, name: 'gold', passType: 'EVENT' },
      { id: 13, name: 'template 13', passType: 'GENERIC' },
    ]);
  });

  it.each([
    ['a template', { programs: [{ id: 1, templates: [11, { id: 11 }] }] }, 'id 11'],
    [
      'a brand attribute',
      {
        brandAttributes: [
          { id: 1, name: 'a' },
          { id: 2, name: 'a' },
        ],
      },
      'name a',
    ],
    [
      "a brand attribute's id",
      {
        brandAttributes: [
          { id: 1, name: 'a' },
          { id: 1, name: 'b' },
        ],
      },
      'id 1',
    ],
  ])('refuses %s given twice', (_what, brand, what) => {
    const brands = [{ id: '1', uniqueIdentifier: 'email', ...brand }];
    expect(() => parseSeed({ brands })).toThrow(`${what} is given twice`);
  });

  it('names every wrong path', () => {
    const program = { id: '1', templates: [], transactionTypes: [{ id: 'x', name: 'sale' }] };
    const wrong = { brands: [{ id: '1', uniqueIdentifier: 'phone', programs: [program] }], colour: 'red' };
    expect(() => parseSeed(wrong)).toThrow(
      /colour[\s\S]*uniqueIdentifier[\s\S]*programs\[0\]\.templates[\s\S]*transactionTypes\[0\]\.id/,
    );
  });

  it('refuses an id or an attribute given twice', () => {
    const attributes = [{ name: 'receipt' }, { name: 'receipt' }];
    const program = { id: '1', templates: [1], transactionTypes: [{ id: '31', name: 'sale', attributes }] };
    const brand = { id: '1', uniqueIdentifier: 'email', programs: [program] };
    expect(() => parseSeed({ brands: [brand] })).toThrow('name receipt is given twice');
    expect(() =>
      parseSeed({
        brands: [
          { ...brand, programs: [] },
          { id: 1, uniqueIdentifier: 'email' },
        ],
      }),
    ).toThrow('id 1 is given twice');
  });

  it('that cannot be read stops the start', async () => {
    await expect(loadSeed(join(folder, 'none.yaml'))).rejects.toThrow('none.yaml');
  });
});
