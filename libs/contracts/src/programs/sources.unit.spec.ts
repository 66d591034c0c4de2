import { parseProgramsFile } from './parse-programs-file.js';
import type { ProgramsContext } from './parse-programs-file.js';
import type { DeclaredSource } from './source.js';
import { topicPattern } from './source.js';

const programs = 'programs: { club: { brandId: 101, programId: 2001 } }\n';
const rest = 'format: json, types: [loyalty.purchase.completed.v1], programs: [club]';
const withMap = `${rest}, map: "$"`;

const parse = (section: string, context: ProgramsContext = {}) =>
  parseProgramsFile(`${programs}sources: ${section}\n`, context);

function errors(section: string, context: ProgramsContext = {}): readonly string[] {
  const result = parse(section, context);
  return result.ok ? [] : result.errors;
}

function read(section: string, context: ProgramsContext = {}): Readonly<Record<string, DeclaredSource>> | undefined {
  const result = parse(section, context);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value.sources;
}

function canonical(text: string, context: ProgramsContext = {}): string {
  const result = parseProgramsFile(text, context);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.canonicalText;
}

describe('the sources section', () => {
  it('is read, with its defaults', () => {
    expect(
      read(`{ till: { topics: [b, a], ${withMap}, may: [merge, erase] }, own: { topics: [c], format: cloudevents,
      types: [loyalty.member.enrolled.v1], programs: [club] } }`),
    ).toEqual({
      till: {
        topics: ['a', 'b'],
        format: 'json',
        map: '$',
        types: ['loyalty.purchase.completed.v1'],
        programs: ['club'],
        may: ['erase', 'merge'],
      },
      own: {
        topics: ['c'],
        format: 'cloudevents',
        map: null,
        types: ['loyalty.member.enrolled.v1'],
        programs: ['club'],
        may: [],
      },
    });
  });

  it('may be left out: then the file means what it meant before, and so does its hash', () => {
    expect(canonical(`${programs}sources: {}`)).toBe(canonical(programs));
    expect(canonical(`${programs}sources: { till: { topics: [a], ${withMap} } }`)).not.toBe(canonical(programs));
  });

  it('may be a file of its own, which means the same', () => {
    const section = `till: { topics: [a], ${withMap} }`;
    expect(canonical(programs, { sources: section })).toBe(canonical(`${programs}sources: { ${section} }`));
    expect(errors(`{ ${section} }`, { sources: section })).toEqual([
      'sources: not in the programs file beside SOURCES_FILE',
    ]);
    const broken = parseProgramsFile(programs, { sources: 'a: [' });
    expect(broken).toEqual({ ok: false, errors: [expect.stringContaining('sources: not readable as YAML')] });
  });

  it('has the text of a map in place of its file, so that the hash is of both', () => {
    const section = `{ till: { topics: [a], ${rest}, mapFile: ./orders.jsonata } }`;
    const readMapFile = (path: string): string => `path & "${path}"`;
    expect(read(section, { readMapFile })?.['till']?.map).toBe('path & "./orders.jsonata"');
    expect(read(section, { readMapFile })?.['till']).not.toHaveProperty('mapFile');
    const text = `${programs}sources: ${section}`;
    expect(canonical(text, { readMapFile })).not.toBe(canonical(text, { readMapFile: () => 'other' }));
  });

  it('says of a map file that cannot be read why, and nothing of what it holds', () => {
    const section = `{ till: { topics: [a], ${rest}, mapFile: a } }`;
    const missing = Object.assign(new Error('secret'), { code: 'ENOENT' });
    const throwing = (): never => {
      throw missing;
    };
    expect(errors(section, { readMapFile: throwing })).toEqual(['sources.till.mapFile: cannot be read (ENOENT)']);
    expect(errors(section)).toEqual(['sources.till.mapFile: no files are read here: use map']);
    expect(errors(section, { readMapFile: () => '' })).toEqual([
      'sources.till.mapFile: must hold 1 to 65536 characters',
    ]);
  });

  it.each([
    [`{ Till: { topics: [a], ${withMap} } }`, 'sources.Till: '],
    [`{ till: { topics: [], ${withMap} } }`, 'sources.till.topics: names none'],
    [`{ till: { topics: [a, a], ${withMap} } }`, 'sources.till.topics: names one twice'],
    [`{ till: { topics: ["a b"], ${withMap} } }`, 'sources.till.topics[0]: must be the name of a topic'],
    [`{ till: { topics: ["/(a+)+/"], ${withMap} } }`, 'sources.till.topics[0]: must be the name of a topic'],
    [`{ till: { topics: [a], ${rest} } }`, 'sources.till.map: required, or a mapFile'],
    [`{ till: { topics: [a], ${withMap}, mapFile: b } }`, 'sources.till.mapFile: not beside map'],
    [
      '{ till: { topics: [a], format: cloudevents, map: "$", types: [loyalty.member.enrolled.v1], programs: [club] } }',
      'sources.till.map: not of cloudevents',
    ],
    [`{ till: { topics: [a], ${withMap}, may: [delete] } }`, 'sources.till.may[0]: '],
    [`{ till: { topics: [a], ${withMap}, type: b } }`, 'sources.till: Unrecognized key: "type"'],
    [`{ till: { topics: [a], ${withMap.replace('[club]', '[toString]')} } }`, 'toString: not one of programs'],
    [
      `{ till: { topics: [a], ${withMap} }, shop: { topics: [a], ${withMap} } }`,
      'sources.shop.topics: a: is of sources.till',
    ],
  ])('%s is refused with its path', (section, error) => {
    expect(errors(section)).toEqual([expect.stringContaining(error)]);
  });
});

describe('the pattern of a topic', () => {
  const matches = (pattern: string, name: string): boolean | null => {
    const read = topicPattern(pattern);
    return read === null || 'name' in read ? null : read.pattern.test(name);
  };

  it.each([
    ['/^till\\..*$/', 'till.1', true],
    ['/till\\..*/', 'my.till.1', false],
    ['/till\\.[0-9]+/', 'till.12', true],
    ['/till\\.(a|b)/', 'till.b', true],
    ['/till|shop/', 'tills', false],
  ])('%s matches the whole of a name: %s, %s', (pattern, name, isMatch) => {
    expect(matches(pattern, name)).toBe(isMatch);
  });

  it.each(['/(a+)+/', '/a**/', '/.*.*.*.*/', '/(?=a)/', '/a{9}/', '/\\p{L}/', '/[/', '/(/', '//', '.', '..', ''])(
    '%s is refused',
    (topic) => {
      expect(topicPattern(topic)).toBeNull();
    },
  );

  it('that is the most expensive one is soon done with the longest name', () => {
    expect(matches('/.*a.*a.*b/', 'a'.repeat(249))).toBe(false);
  });
});
