import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

import { projectRoot, readPage } from './markdown.js';

const pages = ['design', 'contracts', 'partner-api'] as const;
type CitedPage = (typeof pages)[number];

/** A place that names a page of docs/, with its section or a heading in that section where it says one. */
interface Citation {
  readonly file: string;
  readonly page: CitedPage;
  readonly section: string | null;
  readonly heading: string | null;
}

const folders = ['apps', 'libs', 'migrations', 'test', 'docs', 'deploy', '.config'];
const extensions = new Set(['.ts', '.js', '.md', '.yaml', '.yml', '.sql']);
const files = ['README.md', 'CHANGELOG.md'];

function textFiles(): string[] {
  const found = folders.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extensions.has(extname(entry.name)))
      .map(({ parentPath, name }) => relative(projectRoot, join(parentPath, name))),
  );
  const own = relative(projectRoot, import.meta.filename);
  return [...files, ...found].filter((file) => file !== own && !file.includes('node_modules'));
}

/** A citation may be broken off by the end of a comment's line. */
function withoutLineBreaks(text: string): string {
  return text.replace(/\r?\n[ \t]*(?:\*(?!\/)|\/\/|#|--)?[ \t]*/g, ' ');
}

const number = String.raw`\d+(?:\.\d+)?`;
const numbers = `${number}(?:(?:, | and | or | to |-)${number})*`;
const name = `\\b(${pages.join('|')})\\.md`;
const heading = `, ["“]?([A-Z][\\w' ]*\\w)`;

/** `design.md`, `contracts.md section 1, Identity`, `partner-api.md 4.8 to 4.12`, `partner-api.md sections 2 and 4`. */
const cited = new RegExp(`${name}(?: (?:sections? )?(${numbers})(?:${heading})?)?`, 'g');
/** `4.2 and 4.3 in partner-api.md`, `4.7 (partner-api.md)`. */
const citedBefore = new RegExp(`(\\d\\.\\d+(?:(?:, | and | to |-)\\d\\.\\d+)*) (?:in |of |\\()partner-api\\.md`, 'g');
/** A field that names a section of the partner's API: endpoints of the sandbox, rows of the contract suite. */
const field = /\bsection: '(\d+(?:\.\d+)?)'/g;
const filesWithFields = /^(?:apps\/wallet-sandbox\/src|test\/contract\/specification)\//;

const toNumbers = (text: string | undefined): string[] => text?.match(new RegExp(number, 'g')) ?? [];

function citationsIn(file: string, source: string): Citation[] {
  const text = withoutLineBreaks(source);
  const partner = (section: string): Citation => ({ file, page: 'partner-api', section, heading: null });
  const fields = filesWithFields.test(file) ? [...text.matchAll(field)] : [];
  return [
    ...[...text.matchAll(cited)].flatMap(([, page, sections, heading]): Citation[] => {
      const place = { file, page: page as CitedPage };
      if (sections === undefined) return [{ ...place, section: null, heading: null }];
      return toNumbers(sections).map((section) => ({ ...place, section, heading: heading ?? null }));
    }),
    ...[...text.matchAll(citedBefore)].flatMap(([, sections]) => toNumbers(sections).map(partner)),
    ...fields.flatMap(([, section]) => toNumbers(section).map(partner)),
  ];
}

/** The headings of a page by its numbered sections: `4` holds the titles of all that stands in section 4. */
function sectionsOf(page: CitedPage): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  let current: string[] = [];
  for (const [, level, title = ''] of readPage(`docs/${page}.md`).text.matchAll(/^(#{2,4}) (.+)$/gm)) {
    const found = /^(\d+(?:\.\d+)?)\.? /.exec(title)?.[1];
    if (found !== undefined) sections.set(found, level === '##' ? (current = []) : []);
    else current.push(title);
  }
  return sections;
}

const known = new Map(pages.map((page) => [page, sectionsOf(page)]));

/** Why a citation leads nowhere; null when it leads somewhere. */
function problemOf({ file, page, section, heading }: Citation): string | null {
  if (section === null) return null;
  const headings = known.get(page)?.get(section);
  if (headings === undefined) return `${file}: ${page}.md has no section ${section}`;
  if (heading === null || headings.some((title) => heading.startsWith(title))) return null;
  return `${file}: section ${section} of ${page}.md has no heading ${heading}`;
}

const problemsOf = (citations: readonly Citation[]): string[] => citations.flatMap((one) => problemOf(one) ?? []);

describe('citations of docs/design.md, docs/contracts.md and docs/partner-api.md', () => {
  it('all lead to a section that is there', () => {
    const citations = textFiles().flatMap((file) => citationsIn(file, readFileSync(join(projectRoot, file), 'utf8')));
    const withSection = citations.filter(({ section }) => section !== null);
    for (const page of pages) expect(withSection.filter((one) => one.page === page).length).toBeGreaterThan(40);
    expect(problemsOf(citations)).toEqual([]);
  });

  it.each([
    ['a section', 'design.md section 6', []],
    ['a section that is not there', 'design.md section 13).', ['x.ts: design.md has no section 13']],
    ['one of several', 'contracts.md sections 2 and 66', ['x.ts: contracts.md has no section 66']],
    ['the end of a range', 'partner-api.md 4.8 to 4.15', ['x.ts: partner-api.md has no section 4.15']],
    ['a part of a list', 'partner-api.md 4.2-4.4, 4.61-4.13', ['x.ts: partner-api.md has no section 4.61']],
    ['a number that stands before', 'Body of 4.77 in partner-api.md.', ['x.ts: partner-api.md has no section 4.77']],
    ['a number in front of brackets', '4.7 and 4.70 (partner-api.md)', ['x.ts: partner-api.md has no section 4.70']],
    ['a broken line', ' * design.md\n   * section 99.', ['x.ts: design.md has no section 99']],
    ['a heading', 'contracts.md section 1, Identity). Then', []],
    ['a heading in quotes', 'contracts.md section 1, "Which partner call an event causes".', []],
    [
      'a heading that is not there',
      'design.md section 4, Disorder)',
      ['x.ts: section 4 of design.md has no heading Disorder'],
    ],
    ['a page alone', 'partner-api.md says so', []],
    ['what follows in the sentence', 'partner-api.md section 2, too; section 8: 200 passes', []],
  ])('would judge %s', (_what, text, problems) => {
    const found = citationsIn('x.ts', text);
    expect(found.length).toBeGreaterThan(0);
    expect(problemsOf(found)).toEqual(problems);
  });

  it.each(['apps/wallet-sandbox/src/x.ts', 'test/contract/specification/x.yaml'])(
    'would judge a field in %s',
    (file) => {
      expect(problemsOf(citationsIn(file, `{ section: '4.99' }`))).toEqual([
        `${file}: partner-api.md has no section 4.99`,
      ]);
    },
  );
});
