import { Catalogue, type CatalogueChange } from './catalogue.js';
import { defaultSeed, parseSeed } from './load-seed.js';

const path = { brandId: '101', programId: '2001' };
const attribute = { name: 'shop', dataType: 'string', required: false, unique: true, encrypted: false } as const;
const changes: readonly CatalogueChange[] = [
  { kind: 'brand-renamed', brandId: '101', name: 'Bean' },
  {
    kind: 'brand-attribute-put',
    brandId: '101',
    attribute: { ...attribute, id: 100_001, searchable: false, statusCode: 'ACTIVE' },
  },
  { ...path, kind: 'template-created', template: { id: 100_002, name: 'gold', passType: 'GENERIC' } },
  { ...path, kind: 'transaction-type-renamed', typeId: '31', name: 'sale' },
  { ...path, kind: 'transaction-attribute-created', typeId: '31', attribute },
];

/** What the changes above change, as text. */
function facts(catalogue: Catalogue): string[] {
  const program = catalogue.program(path);
  const type = program.transactionTypes.get('31');
  return [
    catalogue.brand(path).name,
    catalogue.brand(path).attributes.map(({ name }) => name),
    program.templates.map(({ id }) => id),
    type?.name,
    type?.attributes.map(({ name }) => name),
  ].map(String);
}

const seeded = ['brand 101', 'memberId', '11', 'purchase', 'store,receipt,campaign,system'];
const changed = ['Bean', 'memberId,shop', '11,100002', 'sale', 'store,receipt,campaign,system,shop'];

describe('the catalogue', () => {
  let catalogue: Catalogue;

  beforeEach(() => {
    catalogue = new Catalogue(parseSeed(defaultSeed));
  });

  it('takes over changes, each where it belongs and nowhere else', () => {
    const other = facts(catalogue);
    catalogue.change(changes, 5);
    expect(facts(catalogue)).toEqual(changed);
    expect(catalogue.version).toBe(5);
    const elsewhere = catalogue.program({ brandId: '101', programId: '2002' });
    expect(elsewhere.transactionTypes.get('31')?.name).toBe('purchase');
    expect(elsewhere.templates).toHaveLength(1);
    expect(other).toEqual(seeded);
  });

  it('replaces a brand attribute of the same id in its place', () => {
    const put = changes[1] as Extract<CatalogueChange, { kind: 'brand-attribute-put' }>;
    catalogue.change([put, { ...put, attribute: { ...put.attribute, id: 501, name: 'member' } }], 2);
    expect(catalogue.brand(path).attributes.map(({ id, name }) => [id, name])).toEqual([
      [501, 'member'],
      [100_001, 'shop'],
    ]);
  });

  it('changes the objects that waiting effects hold on to', () => {
    const program = catalogue.program(path);
    const brand = catalogue.brand(path);
    catalogue.change(changes, 5);
    expect([program.transactionTypes.get('31')?.name, program.brand.name, brand.name]).toEqual([
      'sale',
      'Bean',
      'Bean',
    ]);
    catalogue.restore([], 6);
    expect([program.transactionTypes.get('31')?.name, program.brand.name, brand.name]).toEqual([
      'purchase',
      'brand 101',
      'brand 101',
    ]);
  });

  it('goes back to the seed and from there through the given changes', () => {
    catalogue.change(changes, 5);
    catalogue.restore(changes.slice(0, 1), 6);
    expect(facts(catalogue)).toEqual(['Bean', ...seeded.slice(1)]);
  });

  it('takes no notice of news older than what it knows', () => {
    catalogue.restore([], 6);
    catalogue.change(changes, 5);
    expect([facts(catalogue), catalogue.version]).toEqual([seeded, 6]);
    catalogue.change(changes, 7);
    catalogue.restore([], 6);
    expect([facts(catalogue), catalogue.version]).toEqual([changed, 7]);
  });

  it('skips changes of what the seed no longer has', () => {
    const gone: CatalogueChange[] = [
      { kind: 'brand-renamed', brandId: '9', name: 'gone' },
      { ...path, programId: '9', kind: 'template-created', template: { id: 1, name: 'gone', passType: 'GENERIC' } },
      { ...path, kind: 'transaction-type-renamed', typeId: '9', name: 'gone' },
    ];
    catalogue.change(gone, 3);
    expect([facts(catalogue), catalogue.version]).toEqual([seeded, 3]);
  });
});
