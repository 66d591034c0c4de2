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
