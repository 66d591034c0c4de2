import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge } from './index.js';
import { cleanStory } from './stories/clean-story.js';
import { holes, otherMistakes, type Mistake } from './stories/mistakes.js';

const mistakes: readonly Mistake[] = [...holes, ...otherMistakes];

/** The table of README.md. */
const table = [
  '| planted mistake | named by |',
  '|---|---|',
  ...mistakes.map(({ what, rule }) => `| ${what} | \`${rule}\` |`),
].join('\n');

describe('the judge', () => {
  it('says nothing about a story in which all is right, and has looked at all of it', () => {
    const { findings, buckets, judged } = judge(cleanStory());
    expect(findings).toEqual([]);
    expect(Object.values(buckets).every((count) => count === 0)).toBe(true);
    expect(judged).toMatchInlineSnapshot(`
      {
        "corrections": 1,
        "counters": 1,
        "events": 45,
        "fields": 21,
        "members": 6,
        "outcomes": 34,
        "points": 6,
        "records": 56,
        "refunds": 4,
        "rewards": 6,
        "sales": 13,
      }
    `);
  });

  it.each(mistakes)('$rule: $what', ({ rule, plant }) => {
    const draft = cleanStory();
    plant(draft);
    const { findings } = judge(draft);
    expect(findings.map((finding) => finding.rule)).toContain(rule);
  });

  it('has its table of planted mistakes in its README', () => {
    expect(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(table);
  });
});
