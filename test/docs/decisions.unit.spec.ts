import { allPages, linksOf, readPage } from './markdown.js';

/** Of a decision without its title: what takes more is no single decision, or explains a local trick. */
const wordsMax = 150;
const index = 'docs/decisions/README.md';
const decisions = allPages().filter(({ path }) => path.startsWith('docs/decisions/') && path !== index);

describe('docs/decisions/', () => {
  it('has decisions of a paragraph each', () => {
    expect(decisions.length).toBeGreaterThan(20);
    const words = decisions.map(({ path, text }) => [
      path,
      text.split('\n').slice(1).join(' ').split(/\s+/).length - 2,
    ]);
    expect(words.filter(([, count]) => Number(count) > wordsMax)).toEqual([]);
  });

  it('is listed by its index, each with its title', () => {
    const { text } = readPage(index);
    expect(linksOf(readPage(index))).toEqual(
      decisions.map(({ path }) => path.replace('docs/decisions/', '')).toSorted(),
    );
    const titles = decisions.map(({ text: decision }) => /^# (.+)$/m.exec(decision)?.[1] ?? '');
    expect(titles.filter((title) => !text.includes(`[${title}]`))).toEqual([]);
  });
});
