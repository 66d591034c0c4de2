import { provisionThingsMax } from './check-program.js';
import { parseProgramsFile } from './parse-programs-file.js';
import type { ProvisionSection } from './program.js';

const programs = `programs:
  club:
    brandId: 101
    programId: 2001
    currency: EUR
    purchases: { completed: { transactionTypeId: 31, attributes: { receipt: purchaseId }, uniqueAttribute: receipt } }
  alias: { brandId: 101, programId: 2001 }
`;

const withSection = (section: string): string => `${programs}provision: ${section}\n`;

function errors(section: string): readonly string[] {
  const result = parseProgramsFile(withSection(section));
  return result.ok ? [] : result.errors;
}

function read(section: string): ProvisionSection | undefined {
  const result = parseProgramsFile(withSection(section));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value.provision;
}

function canonical(text: string): string {
  const result = parseProgramsFile(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.canonicalText;
}

const type31 = (attributes: string): string => `{ programs: { club: { transactionTypes: { 31: ${attributes} } } } }`;

describe('the provision section', () => {
  it('is read, with defaults and short forms', () => {
    const section = `{ brands: { 101: { attributes: { memberId: { id: 501, unique: true }, birthday: date } } },
      programs: { club: { transactionTypes: { 31: { attributes: { receipt: { unique: true } } } },
        templates: { Basic: { passType: GENERIC } } } } }`;
    expect(read(section)).toEqual({
      brands: {
        '101': {
          name: null,
          attributes: {
            memberId: { id: '501', dataType: 'string', searchable: false, unique: true },
            birthday: { id: null, dataType: 'date', searchable: false, unique: false },
          },
        },
      },
      programs: {
        club: {
          transactionTypes: {
            '31': {
              name: null,
              attributes: { receipt: { exists: false, dataType: 'string', required: false, unique: true } },
            },
          },
          templates: { Basic: { exists: false, passType: 'GENERIC' } },
        },
      },
    });
  });

  it('may be left out: then the file means what it meant before, and so does its hash', () => {
    const text = canonical(programs);
    expect(text).not.toContain('provision');
    expect(canonical(withSection('{}'))).toBe(text);
    expect(canonical(withSection('{ brands: { 101: { attributes: {} } }, programs: { club: {} } }'))).toBe(text);
    expect(canonical(withSection(type31('{ name: Purchase }')))).not.toBe(text);
  });

  it('means the same with its defaults spelled out', () => {
    const short = canonical(withSection('{ brands: { 101: { attributes: { birthday: {} } } } }'));
    const long = '{ id: null, dataType: string, searchable: false, unique: false }';
    expect(canonical(withSection(`{ brands: { "101": { attributes: { birthday: ${long} } } } }`))).toBe(short);
  });

  it.each([
    ['[]', 'provision: '],
    ['null', 'provision: '],
    ['{ program: {} }', 'provision: Unrecognized key: "program"'],
    ['{ brands: { 101: { attributes: { a: text } } } }', 'provision.brands.101.attributes.a.dataType: Invalid option'],
    [
      '{ brands: { 101: { attributes: { a: { uniq: true } } } } }',
      'provision.brands.101.attributes.a: Unrecognized key',
    ],
    ['{ brands: { 101: { attributes: { " ": string } } } }', 'provision.brands.101.attributes. : '],
    [
      '{ brands: { 101: { attributes: { a: { statusCode: "" } } } } }',
      'provision.brands.101.attributes.a.statusCode: ',
    ],
    ['{ brands: { "1 1": { attributes: {} } } }', 'provision.brands.1 1: '],
    ['{ programs: { club: { templates: { Basic: {} } } } }', 'provision.programs.club.templates.Basic.passType: '],
    [type31('{}'), 'provision.programs.club.transactionTypes.31: declares neither a name nor attributes'],
    [type31('{ name: 1 }'), 'provision.programs.club.transactionTypes.31.name: '],
    [type31('{ attributes: { a: { id: 1 } } }'), 'transactionTypes.31.attributes.a: Unrecognized key: "id"'],
    [
      `{ programs: { club: { templates: { ${'x'.repeat(101)}: { passType: A } } } } }`,
      'provision.programs.club.templates.x',
    ],
  ])('%s is refused with its path', (section, error) => {
    expect(errors(section)).toEqual(expect.arrayContaining([expect.stringContaining(error)]));
  });
});

describe('rules between the section and the programs', () => {
  it.each([
    [
      '{ brands: { 102: { attributes: { a: string } } } }',
      'provision.brands.102: no program of the file has this brandId',
    ],
    [
      '{ programs: { toString: { templates: { A: { passType: B } } } } }',
      'provision.programs.toString: must be one of programs',
    ],
    [
      '{ programs: { club: { templates: { A: { passType: B } } }, alias: { templates: { A: { passType: B } } } } }',
      'provision.programs.alias: is the same program of the partner as club: declare what it has once',
    ],
    [
      type31('{ attributes: { receipt: string } }'),
      'provision.programs.club.transactionTypes.31.attributes.receipt.unique: must be true: it is the uniqueAttribute of purchases.completed',
    ],
    [
      '{ programs: { alias: { transactionTypes: { 31: { attributes: { receipt: string } } } } } }',
      'provision.programs.alias.transactionTypes.31.attributes.receipt.unique: must be true',
    ],
  ])('%s', (section, error) => {
    expect(errors(section)).toEqual([expect.stringContaining(error)]);
  });

  it('leave a unique attribute alone that is not declared', () => {
    expect(errors(type31('{ name: Purchase, attributes: { store: string } }'))).toEqual([]);
  });

  it('bound how much one section declares', () => {
    const many = (count: number): string =>
      `{ brands: { 101: { attributes: { ${Array.from({ length: count }, (_, n) => `a${n}: string`).join(', ')} } } } }`;
    expect(errors(many(provisionThingsMax))).toEqual([]);
    expect(errors(many(provisionThingsMax + 1))).toEqual([
      `provision: declares more than ${provisionThingsMax} things`,
    ]);
  });
});
