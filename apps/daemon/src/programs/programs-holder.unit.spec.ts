import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ProgramsFileError, ProgramsHolder } from './programs-holder.js';

const programs = 'programs: { club: { brandId: 101, programId: 2001 } }\n';
const source = (type: string): string =>
  `till: { topics: [a], format: json, mapFile: orders.jsonata, types: [${type}], programs: [club] }`;
const known = 'loyalty.purchase.completed.v1';

describe('the programs file with its sources', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-holder-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  it('is named by a hash that a map file changes, and is seen to have changed with it', async () => {
    const path = await write('loyaltyd.yaml', `${programs}sources: { ${source(known)} }`);
    await write('orders.jsonata', '{ "id": id }');
    const holder = await ProgramsHolder.open(path);
    const before = await holder.signature();
    expect(holder.current.file.sources?.['till']?.map).toBe('{ "id": id }');
    await write('orders.jsonata', '{ "id": number }');
    expect(await holder.signature()).not.toBe(before);
    expect((await holder.read()).hash).not.toEqual(holder.current.hash);
  });

  it('may have them in a file of its own, beside which its map files lie', async () => {
    const path = await write('loyaltyd.yaml', programs);
    const sourcesFile = await write('sources.yaml', source(known));
    await write('orders.jsonata', '$');
    const holder = await ProgramsHolder.open(path, { sourcesFile });
    expect(Object.keys(holder.current.file.sources ?? {})).toEqual(['till']);
  });

  it('is refused where a source names a type that there is not', async () => {
    const path = await write('loyaltyd.yaml', `${programs}sources: { ${source('loyalty.purchase.lost.v1')} }`);
    await write('orders.jsonata', '$');
    await expect(ProgramsHolder.open(path)).rejects.toEqual(
      new ProgramsFileError([`${path}: sources.till.types: loyalty.purchase.lost.v1: no such event type or version`]),
    );
  });

  it('regression: is refused, and waited for by nobody, where a map file is huge, or none that ends', async () => {
    const path = await write('loyaltyd.yaml', `${programs}sources: { ${source(known)} }`);
    const map = await write('orders.jsonata', '$');
    const refused = (rule: string): ProgramsFileError =>
      new ProgramsFileError([`${path}: sources.till.mapFile: ${rule}`]);
    await truncate(map, 2 ** 40);
    await expect(ProgramsHolder.open(path)).rejects.toEqual(refused('must hold 1 to 65536 characters'));
    await rm(map);
    execFileSync('/usr/bin/mkfifo', [map]);
    await expect(ProgramsHolder.open(path)).rejects.toEqual(refused('cannot be read (no-file)'));
  });
});
