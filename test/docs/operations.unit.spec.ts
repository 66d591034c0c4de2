import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, readPage } from './markdown.js';

const page = readPage('docs/operations.md').text;

/** All of our sources without their specs, as one text. */
function sources(): string {
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const ours = files.filter((file) => /(?<!\.spec)\.ts$/.test(file) && !file.includes('node_modules'));
  return ours.map((file) => readFileSync(join(projectRoot, file), 'utf8')).join('\n');
}

/** The names in the first column of the table under a heading. */
function namesUnder(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''));
}

describe('docs/operations.md', () => {
  it('lists the metrics that the sources define, and no other', () => {
    const defined = [...sources().matchAll(/name: '(loyaltyd_\w+)'/g)].map(([, name]) => name);
    expect(defined.length).toBeGreaterThan(5);
    expect(namesUnder('Metrics').sort()).toEqual(defined.sort());
  });

  it('quotes log lines as the sources write them', () => {
    const text = sources();
    // `msg` is pino's own name for the message.
    const names = namesUnder('Log').filter((name) => name !== 'msg');
    const lines = names.map((name) => name.replace(/[;:]? ?\.\.\.$/, ''));
    expect(lines).toContain('draining');
    expect(lines.filter((line) => !text.includes(line))).toEqual([]);
  });
});
