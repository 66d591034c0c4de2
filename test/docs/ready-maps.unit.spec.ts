import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeBlocks, readPage } from './markdown.js';
import { eventsOf, goldenOf, keyOf, mapSample, mapsFolder, readReadyMap, readyMaps, samplesOf } from './ready-maps.js';

const updating = 'node --import ./test/support/source-loader.js test/docs/ready-maps.ts';

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
      const [expected] = /^(?:refused|ignored)/.exec(sample.name) ?? ['events'];
      expect([sample.name, (await mapSample(map, sample)).kind]).toEqual([sample.name, expected]);
    }
    const names = samples.map((sample) => sample.name.split('-')[0]);
    expect(names).toEqual(expect.arrayContaining(['refused', 'ignored']));
  });

  it('makes events of the types and programs that the source declares, each in a sample', async () => {
    const events = (await Promise.all(samples.map((sample) => eventsOf(map, sample)))).flat();
    expect([...new Set(events.map((event) => event.name))].toSorted()).toEqual(map.source.types);
    expect([...new Set(events.map(({ data }) => data.program))]).toEqual(map.source.programs);
  });

  it('takes identities from what was sent, not from where it lies or when it came', async () => {
    for (const sample of samples) {
      const elsewhere = { ...sample.record, topic: 'another', brokerAt: sample.record.brokerAt + 1_000 };
      const events = await eventsOf(map, { ...sample, record: elsewhere });
      const same = (await eventsOf(map, sample)).map(({ id, source }) => [source, id]);
      expect(events.map(({ id, source }) => [source, id])).toEqual(same);
    }
  });

  it('knows by which key each record that it maps is written', async () => {
    if (map.source.key === undefined) return;
    for (const sample of samples) {
      if ((await mapSample(map, sample)).kind !== 'events') continue;
      expect([sample.name, (await keyOf(map, sample)).kind]).toEqual([sample.name, 'key']);
    }
  });

  it('has a page of at most 60 lines, which shows nothing but a sample', () => {
    const page = readPage(`docs/maps/${name}.md`);
    expect(page.text.split('\n').length - 1).toBeLessThanOrEqual(60);
    expect(page.text).toContain(`deploy/maps/${name}`);
    const shown = codeBlocks(page, 'json').map((text) => JSON.parse(text) as unknown);
    expect(samples.map((sample) => sample.shown)).toEqual(expect.arrayContaining(shown));
  });
});

describe('what is told by two records', () => {
  it.each([
    ['shopify', 'refund-of-a-part.json', 'cancelled-refunded-in-part.json', 'loyalty.purchase.refunded.v1'],
    ['square', 'payment-with-a-tip.json', 'payment-told-again-after-a-refund.json', 'loyalty.purchase.completed.v1'],
    ['commercetools', 'order-paid.json', 'order-paid-later.json', 'loyalty.purchase.completed.v1'],
    ['avro-orders', 'paid.json', 'refunded-twice.json', 'loyalty.purchase.completed.v1'],
    ['avro-orders', 'refunded-in-part.json', 'cancelled-with-a-refund-before.json', 'loyalty.purchase.refunded.v1'],
  ])('is one event: %s, %s and %s', async (name, one, other, type) => {
    const map = readReadyMap(name);
    const events = async (file: string) => {
      const samples = samplesOf(map).filter((sample) => sample.name === file);
      const [found] = (await Promise.all(samples.map((sample) => eventsOf(map, sample))))
        .flat()
        .filter((event) => event.name === type);
      return found;
    };
    expect(await events(one)).toBeDefined();
    expect(await events(other)).toEqual(await events(one));
  });
});
