import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { parseProgramsFile } from '#contracts';

import { piecesOf } from '../testing/fixtures.js';
import { readSourceRecords } from './read-records.js';
import { sampleFiles } from './sample-files.js';
import { SampleSources } from './source-of-sample.js';

const rest = 'format: json, map: "$", types: [loyalty.member.enrolled.v1], programs: [club]';
const parsed = parseProgramsFile(`
programs: { club: { brandId: 1, programId: 2 } }
sources:
  till: { topics: ['/till\\..*/', till.main], ${rest} }
  web: { topics: [shop.orders], ${rest} }
  rest: { topics: ['/shop\\..*/'], ${rest} }
`);
const file = parsed.ok ? parsed.value : null;

describe('samples of sources', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-samples-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const write = async (path: string, text: string): Promise<string> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
    return join(folder, path);
  };

  const read = async (path: string, named: string | null = null) => {
    const records = await readSourceRecords(path, new SampleSources(file, named), piecesOf(Buffer.alloc(0)));
    return records?.map((record) =>
      'detail' in record
        ? record.detail
        : [record.source.name, record.topic, record.key, record.value === null ? null : String(record.value)].join(' '),
    );
  };

  it('are below a folder: all files but what is kept beside them, in the order of their names', async () => {
    for (const path of ['b/2.json', 'b/10.json', 'a.jsonl', 'b/2.json.golden.json', 'b/2.json.record.json', '.x/c']) {
      await write(path, '{}');
    }
    const files = await sampleFiles([folder, join(folder, 'gone')]);
    expect(files.map((path) => relative(folder, path))).toEqual(['a.jsonl', 'b/10.json', 'b/2.json', 'gone']);
  });

  it('are the value of one record, byte by byte, of the source whose name its folder has', async () => {
    expect(await read(await write('till/a.json', '{ "id": 1.10 }\n'))).toEqual(['till till.main  { "id": 1.10 }\n']);
    expect(await read(await write('till/web/a.bin', '\u0000x'))).toEqual(['web shop.orders  \u0000x']);
  });

  it('have key, headers, topic and time beside them', async () => {
    const path = await write('a.json', '{}');
    const facts = { topic: 'till.7', key: 'ada', headers: { v: '1' }, timestamp: '2026-11-21T10:00:00Z' };
    await write('a.json.record.json', JSON.stringify(facts));
    const records = await readSourceRecords(path, new SampleSources(file), piecesOf(Buffer.alloc(0)));
    expect(records).toMatchObject([
      { topic: 'till.7', key: 'ada', headers: { v: ['1'] }, timestampMs: Date.parse(facts.timestamp) },
    ]);
    await write('a.json.record.json', '[]');
    await expect(read(path)).rejects.toThrow('.record.json beside it is no JSON object');
  });

  it('are a record to a line in JSON Lines, each of the source of its topic: a name goes before a pattern', async () => {
    const lines = [
      { topic: 'shop.orders', key: 'k', value: { a: 1 } },
      { topic: 'shop.other', value: 'text' },
      { topic: 'till.3', value: null },
    ];
    const path = await write('x.jsonl', `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"headers":{}}\n`);
    expect(await read(path)).toEqual(['web shop.orders k {"a":1}', 'rest shop.other  text', 'till till.3  ']);
    expect(await read(await write('web/y.jsonl', '{"headers":{}}'))).toEqual([
      'value: missing; null stands for a tombstone',
    ]);
  });

  it('are of whichever source is named, and of none where nothing says so', async () => {
    const path = await write('a.json', '{}');
    expect(await read(path)).toBeUndefined();
    expect(await read(path, 'web')).toEqual(['web shop.orders  {}']);
  });
});
