import { jsonDepthMax } from './json/index.js';
import { readYaml, yamlBytesMax } from './read-yaml.js';

const tooDeep = { ok: false, errors: [`not readable as YAML: nested deeper than ${jsonDepthMax}`] };
const brackets = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const lines = (depth: number): string => Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n');

describe('YAML that somebody has written', () => {
  it.each([brackets, lines, (depth: number) => '- '.repeat(depth)])(
    'is taken as deep as anything from outside, and refused beyond: %#',
    (written) => {
      expect(readYaml(written(jsonDepthMax))).toMatchObject({ ok: true });
      for (const depth of [jsonDepthMax + 1, 300]) expect(readYaml(written(depth))).toEqual(tooDeep);
    },
  );

  it('is refused where no stack is long enough for it', () => {
    expect(readYaml(brackets(100_000)).ok).toBe(false);
    expect(readYaml('- '.repeat(100_000)).ok).toBe(false);
  });

  it('is refused where an alias stands within what it names', () => {
    expect(readYaml('a: &a { b: *a }')).toEqual(tooDeep);
    expect(readYaml('&a [*a]')).toEqual(tooDeep);
  });

  it('is refused where aliases reach deeper than anything that is written', () => {
    const steps = Array.from({ length: jsonDepthMax }, (_, at) => `k${at + 1}: &k${at + 1} [*k${at}]`);
    expect(readYaml(['k0: &k0 [x]', ...steps].join('\n')).ok).toBe(false);
  });

  it('must be UTF-8, strictly: another name would be taken for what was written', () => {
    expect(readYaml(Buffer.from('name: K\u00e4se', 'latin1'))).toEqual({
      ok: false,
      errors: ['not readable as YAML: invalid UTF-8'],
    });
    expect(readYaml(Buffer.from('name: K\u00e4se'))).toEqual({ ok: true, value: { name: 'K\u00e4se' } });
  });

  it('is bounded in size, as text and as bytes', () => {
    const refused = { ok: false, errors: [expect.stringContaining('longer than')] };
    expect(readYaml(' '.repeat(yamlBytesMax + 1))).toEqual(refused);
    expect(readYaml(Buffer.alloc(yamlBytesMax + 1, ' '))).toEqual(refused);
  });
});
