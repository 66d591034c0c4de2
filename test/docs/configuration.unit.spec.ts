import { PROGRAMS_FILE_EXAMPLE, parseProgramsFile } from '#contracts';
import { readPage } from './markdown.js';
import { variablesRead } from './variables-read.js';

const page = readPage('docs/configuration.md').text;

/** The keys of the first program in a file that spells out every setting, one level deep. */
function programKeys(): string[] {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return Object.keys(parsed.value.programs['coffee-club'] ?? {});
}

/** The keys of everything that the example declares, names and ids left out. */
function provisionKeys(): string[] {
  const parsed = parseProgramsFile(PROGRAMS_FILE_EXAMPLE);
  if (!parsed.ok || parsed.value.provision === undefined) throw new Error('the example declares nothing');
  const { brands, programs } = parsed.value.provision;
  const declared = Object.values(programs);
  const types = declared.flatMap(({ transactionTypes }) => Object.values(transactionTypes));
  const holders: { readonly attributes: Readonly<Record<string, object>> }[] = [...Object.values(brands), ...types];
  const fields = holders.flatMap(({ attributes }) => Object.values(attributes));
  const templates = declared.flatMap((program) => Object.values(program.templates));
  const things = [...Object.values(brands), ...declared, ...types, ...fields, ...templates];
  return [...new Set(things.flatMap((thing) => Object.keys(thing)))];
}

describe('docs/configuration.md', () => {
  it('names every environment variable', () => {
    const names = variablesRead();
    expect(names).toContain('KAFKA_SASL_PASSWORD');
    expect(names).toContain('OPS_OIDC_AUDIENCE');
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('names no variable that nobody reads', () => {
    const named = [...page.matchAll(/^\| (`[A-Z][A-Z_]+`[^|]*)\|/gm)].flatMap(
      ([, cell]) => cell?.match(/[A-Z][A-Z_]+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !variablesRead().includes(name))).toEqual([]);
  });

  it('names every key of a program', () => {
    const keys = programKeys();
    expect(keys).toContain('missingPass');
    expect(keys.filter((key) => !new RegExp(`\`${key}[\`.]`).test(page))).toEqual([]);
  });

  it('names every key of what can be declared', () => {
    const section = page.split('\n### What the partner is to have\n')[1]?.split('\n### ')[0] ?? '';
    const keys = provisionKeys();
    expect(keys).toContain('statusCode');
    expect(keys).toContain('transactionTypes');
    expect(keys.filter((key) => !new RegExp(`^\\|[^|]*\\b${key}\\b`, 'm').test(section))).toEqual([]);
  });
});
