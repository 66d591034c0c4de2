import { decodeSourceRecord, SOURCE_EVENT_SAMPLES } from '#events';
import { codeBlocks, readPage } from './markdown.js';

const page = readPage('docs/producers.md');
const now = Date.parse('2026-11-21T12:00:00Z');
const headers = { 'content-type': 'application/cloudevents+json' };

/** The example under the heading of an event type. */
function exampleOf(name: string): unknown {
  const text = page.text.split(`### \`${name}\`\n`)[1] ?? '';
  return JSON.parse(codeBlocks({ ...page, text }, 'json')[0] ?? 'null');
}

const topics = readPage('docs/contracts.md');
/** A row names its first type in full, and of the others the end. */
const namesInRow = (text: string): readonly string[] => {
  const [first = '', ...others] = [...text.matchAll(/`(loyalty\.\w+\.[\w-]+\.v\d+|\.[\w-]+\.v\d+)`/g)].map(
    ([, name = '']) => name,
  );
  const prefix = /^loyalty\.\w+/.exec(first)?.[0] ?? '';
  return first === '' ? [] : [first, ...others.map((name) => `${prefix}${name}`)];
};

it('docs/contracts.md names every event type with its topic', () => {
  const rows = topics.text.split('\n').filter((line) => /^\| `loyalty\.\w+` \|/.test(line));
  expect(rows.flatMap(namesInRow).toSorted()).toEqual(Object.keys(SOURCE_EVENT_SAMPLES).toSorted());
});

describe('docs/producers.md', () => {
  it.each(Object.entries(SOURCE_EVENT_SAMPLES))('shows the sample of %s', (name, sample) => {
    expect(exampleOf(name)).toEqual(sample);
  });

  it('shows a whole event that we accept', () => {
    const blocks = codeBlocks(page, 'json structured');
    expect(blocks).toHaveLength(1);
    expect(decodeSourceRecord({ value: Buffer.from(blocks[0] ?? ''), headers, now }).kind).toBe('event');
  });
});
