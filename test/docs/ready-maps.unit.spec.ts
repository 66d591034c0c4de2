import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeBlocks, readPage } from './markdown.js';
import {
  exactDocument,
  goldenOf,
  keyOf,
  mapSample,
  mapsFolder,
  readReadyMap,
  readyMaps,
  samplesOf,
  type MapSample,
  type ReadyMap,
} from './ready-maps.js';

const updating = 'node --import ./test/support/source-loader.js test/docs/ready-maps.ts';

async function eventsOf(map: ReadyMap, sample: MapSample) {
  const result = await mapSample(map, sample);
  return result.kind === 'events' ? result.events : null;
}

it('there are ready maps', () => {
  expect(readyMaps()).toContain('shopify');
});

describe.each(readyMaps())('the map for %s', (name) => {
  const map = readReadyMap(name);
  const samples = samplesOf(map);

  it.each(samples)(`makes of $name what its golden file says (${updating})`, async (sample) => {
    const golden = join(mapsFolder, name, 'goldens', sample.name);
    expect(await goldenOf(map, sample)).toBe(existsSync(golden) ? readFileSync(golden, 'utf8') : '');
  });

  it('has a golden file for each sample, and no other', () => {
    expect(readdirSync(join(mapsFolder, name, 'goldens')).toSorted()).toEqual(samples.map((sample) => sample.name));
  });

  it('refuses and ignores what the names of its samples say, and maps the others', async () => {
    for (const sample of samples) {
      const count = (await eventsOf(map, sample))?.length ?? 'refused';
      const [expected] = /^(?:refused|ignored)/.exec(sample.name) ?? ['mapped'];
      const found = count === 0 ? 'ignored' : count === 'refused' ? count : 'mapped';
      expect([sample.name, found]).toEqual([sample.name, expected]);
    }
    const names = samples.map((sample) => sample.name.split('-')[0]);
    expect(names).toEqual(expect.arrayContaining(['refused', 'ignored']));
  });

  it('makes events that the decoder takes, of the types and programs that the source declares, each in a sample', async () => {
    const goldens = await Promise.all(samples.map((sample) => goldenOf(map, sample)));
    expect(goldens.filter((golden) => golden.includes('"reason": "invalid"'))).toEqual([]);
    const events = (await Promise.all(samples.map((sample) => eventsOf(map, sample)))).flatMap((each) => each ?? []);
    expect([...new Set(events.map(({ type }) => type))].toSorted()).toEqual(map.source.types);
    expect([...new Set(events.map(({ data }) => (data as { program: string }).program))]).toEqual(map.source.programs);
  });

  it('takes identities from what was sent, not from where it lies or when it came', async () => {
    for (const sample of samples) {
      const { input } = sample;
      const record = { ...input.record, topic: 'another', timestamp: '2027-01-01T00:00:00.000Z' };
      const again = { ...sample, input: { ...input, record } };
      const ids = async (of: MapSample) => (await eventsOf(map, of))?.map(({ id, source }) => [source, id]);
      expect(await ids(again)).toEqual(await ids(sample));
    }
  });

  it('knows by which key each record that it maps is written', async () => {
    if (map.source.key === undefined) return;
    for (const sample of samples) {
      if (((await eventsOf(map, sample)) ?? []).length === 0) continue;
      expect([sample.name, keyOf(map, sample).kind]).toEqual([sample.name, 'key']);
    }
  });

  it('has a page of at most 60 lines, which shows nothing but a sample', () => {
    const page = readPage(`docs/maps/${name}.md`);
    expect(page.text.split('\n').length - 1).toBeLessThanOrEqual(60);
    expect(page.text).toContain(`deploy/maps/${name}`);
    const shown = codeBlocks(page, 'json').map((text) => exactDocument(text));
    expect(samples.map(({ input }) => input.document)).toEqual(expect.arrayContaining(shown));
  });
});
