import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE } from '#contracts';

import { sourceProblems } from './check-sources.js';

const rest = 'topics: [a], format: json, types: [loyalty.member.enrolled.v1], programs: [coffee-club]';

function problemsOf(source: string): string[] {
  const own = PROGRAMS_FILE_EXAMPLE.replace(/^sources:[\s\S]*?(?=^\S|(?![\s\S]))/m, '');
  const read = parseProgramsFile(`${own}\nsources: { till: { ${rest}, ${source} } }\n`);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return sourceProblems(read.value);
}

describe('the maps of a file', () => {
  it('are judged when it is read, with line and column', () => {
    expect(problemsOf('map: "[{\\"id\\": id}]", key: "member.id"')).toEqual([]);
    expect(problemsOf('map: "(\\n  total + 1\\n)"')).toEqual([
      expect.stringMatching(/^sources\.till\.map: line 2, column 9: computes with counts and numbers of the map only/),
    ]);
    expect(problemsOf('map: "$", key: "$nobody"')).toEqual([
      'sources.till.key: line 1, column 1: $nobody is bound by nothing before, and no function here',
    ]);
  });
});
