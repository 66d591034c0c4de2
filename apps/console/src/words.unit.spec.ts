import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
/** Where texts are that people read: the console, the command line, the titles and summaries of the API. */
const folders = ['apps/console/src', 'apps/cli/src', 'libs/operations/src', 'libs/contracts/src/operations-api'];
const glossary = readFileSync(resolve(root, 'docs/glossary.md'), 'utf8');

/** `| not | but |` of the glossary: each word that is not used, as people would read it. */
const banned = [...glossary.matchAll(/^\| not "([^|]+)" \|/gm)].flatMap(([, words = '']) => words.split('", "'));

const isText = (line: string): boolean => !/^\s*(?:\/\/|\/?\*)/.test(line);

function linesOf(folder: string): readonly (readonly [place: string, line: string])[] {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.spec\.ts$|openapi\.ts$/.test(name))
    .flatMap((name) => {
      const lines = readFileSync(resolve(root, folder, name), 'utf8').split('\n');
      return lines.filter(isText).map((line) => [`${folder}/${name}`, line] as const);
    });
}

it('has words that are used for nothing', () => {
  expect(banned.length).toBeGreaterThan(10);
});

it('says each thing in one word: none of those that the glossary rules out stands in a text', () => {
  const lines = folders.flatMap(linesOf);
  const found = banned.flatMap((words) => {
    const pattern = new RegExp(`(?<![\\w])${words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w])`);
    return lines.filter(([, line]) => pattern.test(line)).map(([place, line]) => `${words}: ${place}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});
