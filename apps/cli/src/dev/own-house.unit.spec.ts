import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { namedTopics, openOwnHouse, topicPatterns } from './own-house.js';

const source =
  '{ topics: [a, "/b.*/"], format: json, mapFile: a.jsonata, types: [loyalty.member.enrolled.v1], programs: [P] }';

describe('files of one’s own', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-own-'));
    await writeFile(join(folder, 'programs.yaml'), 'programs: { shop: { brandId: 7, programId: 70 } }');
    await writeFile(join(folder, 'a.jsonata'), '$');
  });

  afterEach(() => rm(folder, { recursive: true }));

  const open = async (program: string) => {
    await writeFile(join(folder, 'sources.yaml'), `till: ${source.replace('P', program)}`);
    const [programs, sources] = ['programs.yaml', 'sources.yaml'].map((name) => join(folder, name)) as [string, string];
    return openOwnHouse({ programs, sources, dialect: null, sandboxSeed: null });
  };

  it('are read with their sources and maps, whose topics are known', async () => {
    const own = await open('shop');
    expect([namedTopics(own), topicPatterns(own)]).toEqual([['a'], ['/b.*/']]);
    expect(own.file.sources?.['till']?.map).toBe('$');
  });

  it('are refused as a wrong usage with every problem, before anything starts', async () => {
    await expect(open('club')).rejects.toMatchObject({ exitCode: 2, message: /sources\.till\.programs: club/ });
    await rm(join(folder, 'programs.yaml'));
    await expect(open('shop')).rejects.toMatchObject({ exitCode: 2, message: /programs\.yaml: .*ENOENT/ });
  });
});
