import { hash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { FakeApi, Run, Script } from './testing/fake-api.js';
import { problem, runAgainst, startFakeApi } from './testing/fake-api.js';

interface Link {
  readonly no: number;
  readonly actionId: string;
  readonly form: number;
  readonly digest: string;
  readonly row: Readonly<Record<string, string | null>> | null;
}

/** By the documented rule, apart from the code that is tried. */
function chainOf(reasons: readonly string[]): Link[] {
  const links: Link[] = [
    { no: 0, actionId: '0', form: 0, digest: hash('sha256', 'loyaltyd audit, after action 0'), row: null },
  ];
  for (const reason of reasons) {
    const no = links.length;
    const row = {
      action_id: String(no),
      at: '2026-11-26T09:00:00',
      actor: 'ann',
      address: null,
      action: 'intent.replay',
    };
    const whole = { ...row, reason, lane_id: null, seq: null, detail: null, subject: null, request_id: null };
    const text = `${links.at(-1)?.digest ?? ''}\n${JSON.stringify([1, no, ...Object.values(whole)])}`;
    links.push({ no, actionId: String(no), form: 1, digest: hash('sha256', text), row: whole });
  }
  return links;
}

const links = chainOf(['one', 'two', 'three', 'bell \u0007']);
const headOf = (no: number): string => `${no}:${links[no]?.digest ?? ''}`;
const served = (items: readonly Link[], strays: readonly object[] = [], waiting = 0): Script => ({
  'GET /audit/chain': ({ query }) =>
    query['cursor'] === undefined
      ? { body: { items: items.slice(0, 2), strays: [], waiting, nextCursor: '1_1' } }
      : { body: { items: items.slice(2), strays, waiting, nextCursor: null } },
});
const altered = links.map((link) => (link.no === 2 ? { ...link, row: { ...link.row, reason: 'other' } } : link));
const alteredText = 'loyaltyd: action 2 is not as link 2 covers it: one of them was changed\n';

describe('loyaltyd audit', () => {
  let api: FakeApi;
  let folder: string;

  beforeAll(async () => {
    api = await startFakeApi();
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-audit-'));
  });

  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  const run = (words: readonly string[], script: Script = {}): Promise<Run> =>
    runAgainst(api, ['audit', ...words], { script });

  const exported = async (name: string, items: readonly Link[], strays: readonly object[] = []): Promise<string> => {
    const path = join(folder, name);
    await run(['export', '--file', path], served(items, strays));
    return path;
  };

  describe('verify', () => {
    it('finds nothing where nothing was changed, and shows the head', async () => {
      const { code, stdout, stderr } = await run(['verify', '--head', headOf(3)], served(links, [], 2));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(`the audit is as it was chained; head ${headOf(4)}; 2 actions wait for their link\n`);
      expect(api.requests.map(({ query }) => query)).toEqual([{ limit: '500' }, { limit: '500', cursor: '1_1' }]);
    });

    it('names what was changed, is missing or was inserted', async () => {
      expect(await run(['verify'], served(altered))).toMatchObject({ code: 4, stderr: alteredText });
      const gone = await run(['verify'], served(links.filter(({ no }) => no !== 3)));
      expect(gone).toMatchObject({ code: 4, stderr: 'loyaltyd: link 3 is missing\n' });
      const inserted = await run(['verify'], served(links, [{ actionId: '9', what: 'unlinked' }]));
      expect(inserted.code).toBe(4);
      expect(inserted.stderr).toContain('action 9 is in no link');
    });

    it('names what a head noted earlier shows', async () => {
      const shorter = await run(['verify', '--head', headOf(4)], served(links.slice(0, 4)));
      expect(shorter.stderr).toBe('loyaltyd: the chain ends at link 3: link 4, which was noted, is missing\n');
      const anew = await run(['verify', '--head', headOf(3)], served(chainOf(['one', 'two', 'other'])));
      expect(anew.stderr).toBe('loyaltyd: link 3 is not the one that was noted: the chain was written anew\n');
      expect([shorter.code, anew.code]).toEqual([4, 4]);
      expect(await run(['verify', '--head', '3'])).toMatchObject({ code: 2 });
    });

    it('says so where the server cannot be asked, or has no such chain', async () => {
      expect(await run(['verify'])).toMatchObject({ code: 1 });
      expect(await run(['verify'], { 'GET /audit/chain': () => problem(403, 'role') })).toMatchObject({ code: 5 });
    });
  });

  describe('export', () => {
    it('writes every link with its action, for this user alone, and verifies them', async () => {
      const path = join(folder, 'audit.jsonl');
      const { code, stdout, stderr } = await run(['export', '--file', path], served(links));
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(stderr).toBe(`5 lines in ${path}\nthe audit is as it was chained; head ${headOf(4)}\n`);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line) as Link)).toEqual(links);
      expect((await run(['export'], served(links))).stdout.split('\n')).toHaveLength(6);
    });

    it('keeps what it found wrong, and ends with 4', async () => {
      const path = join(folder, 'wrong.jsonl');
      const { code, stderr } = await run(['export', '--file', path], served(altered));
      expect(code).toBe(4);
      expect(stderr).toContain(alteredText);
      expect(await readFile(path, 'utf8')).toContain('other');
    });

    it('leaves nothing that looks whole where it breaks off', async () => {
      const broken: Script = {
        'GET /audit/chain': ({ query }) =>
          query['cursor'] === undefined
            ? { body: { items: links, strays: [], waiting: 0, nextCursor: '1_1' } }
            : problem(503, 'database-away'),
      };
      expect(await run(['export', '--file', join(folder, 'broken.jsonl')], broken)).toMatchObject({ code: 1 });
      expect((await readdir(folder)).filter((name) => name.startsWith('broken'))).toEqual([]);
    });
  });

  describe('verify FILE', () => {
    it('needs no server', async () => {
      const path = await exported('kept.jsonl', links);
      const { code, stdout } = await run(['verify', path, '--head', headOf(4)]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: `the audit is as it was chained; head ${headOf(4)}\n` });
      expect(api.requests).toEqual([]);
    });

    it('names what was changed in the file, also what no digest covers', async () => {
      const path = await exported('changed.jsonl', links);
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('"two"', '"2"'));
      expect(await run(['verify', path])).toMatchObject({ code: 4, stderr: alteredText });
      await writeFile(path, text.replace('"reason":"two"', '"reason":"two","approved_by":"ada"'));
      expect(await run(['verify', path])).toMatchObject({ code: 4, stderr: alteredText });
      const lines = text.split('\n');
      await writeFile(path, [...lines.slice(0, 2), lines[3], lines[2], ...lines.slice(4)].join('\n'));
      const swapped = await run(['verify', path]);
      expect(swapped.stderr).toContain('link 2 is missing');
      expect(swapped.stderr).toContain('link 2 comes where link 4 should');
      await writeFile(path, lines.slice(1).join('\n'));
      expect((await run(['verify', path])).stderr).toContain('link 0 is missing');
    });

    it('keeps the strays that the export found', async () => {
      const path = await exported('strays.jsonl', links, [{ actionId: '9', what: 'missing' }]);
      const stderr = 'loyaltyd: action 9 has waited for its link and is missing\n';
      expect(await run(['verify', path])).toMatchObject({ code: 4, stderr });
    });

    it.each([
      ['no JSON', 'ada@example.org', 'line 1 is no JSON'],
      ['other JSON', '{"a": 1}', 'line 1 is no line of an audit export'],
      [
        'another number',
        '{"no":1.5,"actionId":"1","form":1,"digest":"","row":null}',
        'line 1 is no line of an audit export',
      ],
    ])('refuses a file with %s, and quotes nothing', async (_what, text, said) => {
      const path = join(folder, 'no.jsonl');
      await writeFile(path, `${text}\n`);
      expect(await run(['verify', path])).toMatchObject({ code: 2, stderr: `loyaltyd: ${said}\n` });
    });

    it('says that an empty file holds no chain, and that there is no file', async () => {
      const path = join(folder, 'empty.jsonl');
      await writeFile(path, '');
      expect(await run(['verify', path])).toMatchObject({ code: 4, stderr: 'loyaltyd: the chain has no start\n' });
      const { code, stderr } = await run(['verify', join(folder, 'nowhere')]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('ENOENT') as string });
    });
  });
});
