import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTestAuthority } from '#test-support';

import { LiveEnvironment } from './live-environment.js';

const hashes = ['a', 'b'].map((digit) => digit.repeat(64));
const tokens = (...names: readonly string[]): string =>
  names.map((name, index) => `${name}:admin:${hashes[index]}`).join(',');

describe('an environment whose files change', () => {
  let folder: string;
  let live: LiveEnvironment;

  const pathOf = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => {
    writeFileSync(pathOf(name), text);
  };
  const open = (more: Readonly<Record<string, string | undefined>> = {}): void => {
    const opened = LiveEnvironment.open({
      LOYALTYD_ROLES: 'operations',
      DATABASE_URL_FILE: pathOf('url'),
      LOYALTYD_ENCRYPTION_KEY: Buffer.from([...Array(32).keys()]).toString('base64'),
      OPS_TOKENS_FILE: pathOf('tokens'),
      ALLOW_CLEARTEXT: 'postgres',
      ...more,
    });
    if (!opened.ok) throw new Error(opened.errors.join());
    ({ live } = opened);
  };
  const names = (): readonly string[] => live.current.operations.tokens.map(({ name }) => name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'loyaltyd-live-'));
    write('url', 'postgres://one@db/x\n');
    write('tokens', tokens('ann'));
    open();
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('says what is wrong at the start, by variable', () => {
    unlinkSync(pathOf('url'));
    expect(LiveEnvironment.open({ LOYALTYD_ROLES: 'ingest', DATABASE_URL_FILE: pathOf('url') })).toEqual({
      ok: false,
      errors: expect.arrayContaining(['DATABASE_URL_FILE: the file cannot be read']) as unknown,
    });
  });

  it('takes a change over at the second look that finds it, and says so once', async () => {
    expect(live.followed).toEqual(['DATABASE_URL_FILE', 'OPS_TOKENS_FILE']);
    expect(await live.look()).toBeNull();
    write('tokens', tokens('ann', 'bob'));
    expect(await live.look()).toBeNull();
    // Written once more: what stood there for a moment never counted.
    write('tokens', tokens('bob'));
    expect(await live.look()).toBeNull();
    expect(names()).toEqual(['ann']);
    expect(await live.look()).toEqual({ changed: ['OPS_TOKENS_FILE'], broken: new Map() });
    expect(names()).toEqual(['bob']);
    expect(await live.look()).toBeNull();
  });

  it('follows a folder that Kubernetes swaps, with all that lies in it at once', async () => {
    const generation = (name: string, user: string): void => {
      mkdirSync(pathOf(name));
      write(`${name}/url`, `postgres://${user}@db/x`);
      write(`${name}/tokens`, tokens(user));
    };
    generation('..2026_1', 'one');
    symlinkSync('..2026_1', pathOf('..data'));
    for (const name of ['url', 'tokens']) symlinkSync(`..data/${name}`, pathOf(`k-${name}`));
    open({ DATABASE_URL_FILE: pathOf('k-url'), OPS_TOKENS_FILE: pathOf('k-tokens') });
    generation('..2026_2', 'two');
    symlinkSync('..2026_2', pathOf('..data_tmp'));
    renameSync(pathOf('..data_tmp'), pathOf('..data'));
    rmSync(pathOf('..2026_1'), { recursive: true });
    await live.look();
    expect((await live.look())?.changed).toEqual(['DATABASE_URL_FILE', 'OPS_TOKENS_FILE']);
    expect([names(), live.current.database?.url.value]).toEqual([['two'], 'postgres://two@db/x']);
  });

  it('keeps the last good value of a file that is wrong or gone, without holding up the others', async () => {
    write('tokens', 'ann:root:hunter2');
    write('url', 'postgres://two@db/x');
    await live.look();
    const news = await live.look();
    expect(news?.changed).toEqual(['DATABASE_URL_FILE']);
    expect([...live.broken]).toEqual([['OPS_TOKENS_FILE', expect.stringContaining('must be a comma list') as unknown]]);
    expect(JSON.stringify([...live.broken])).not.toContain('hunter2');
    expect([names(), live.current.database?.url.value]).toEqual([['ann'], 'postgres://two@db/x']);
    unlinkSync(pathOf('tokens'));
    await live.look();
    expect((await live.look())?.broken.get('OPS_TOKENS_FILE')).toBe('the file cannot be read');
    expect([await live.look(), names()]).toEqual([null, ['ann']]);
    write('tokens', tokens('ann'));
    await live.look();
    expect(await live.look()).toEqual({ changed: [], broken: new Map() });
  });

  it('takes a certificate over only with its key, whichever of the two is replaced first', async () => {
    const authority = createTestAuthority();
    const issue = () => authority.issue({ hosts: ['loyaltyd.example.org'] });
    const put = (part: 'cert' | 'key', of: ReturnType<typeof issue>): void => {
      write(`wallet-${part}`, of[part]);
    };
    const [first, second] = [issue(), issue()];
    put('cert', first);
    put('key', first);
    open({
      WALLET_BASE_URL: 'https://wallet.example/brands',
      WALLET_AUTH_URL: 'https://auth.example',
      WALLET_CLIENT_ID: 'id',
      WALLET_CLIENT_SECRET: 'secret',
      WALLET_SCOPE: 'scope',
      WALLET_CERT_FILE: pathOf('wallet-cert'),
      WALLET_KEY_FILE: pathOf('wallet-key'),
    });
    const shown = (): unknown => [live.current.wallet?.cert?.value, live.current.wallet?.key?.value];
    put('cert', second);
    await live.look();
    await live.look();
    expect([...live.broken.keys()]).toEqual(['WALLET_CERT_FILE', 'WALLET_KEY_FILE']);
    expect(shown()).toEqual([first.cert, first.key]);
    put('key', second);
    await live.look();
    expect((await live.look())?.changed).toEqual(['WALLET_CERT_FILE', 'WALLET_KEY_FILE']);
    expect([live.broken.size, shown()]).toEqual([0, [second.cert, second.key]]);
  });

  it('asks who guards a variable, and asks again where that could not be told', async () => {
    const asked: (string | undefined)[] = [];
    let answer: () => Promise<string | null> = () => Promise.reject(new Error('Postgres is away'));
    live.guard('DATABASE_URL_FILE', (next) => {
      asked.push(next.database?.url.value);
      return answer();
    });
    write('url', 'postgres://two@elsewhere/x');
    await live.look();
    await expect(live.look()).rejects.toThrow('Postgres is away');
    answer = () => Promise.resolve('another server');
    expect(await live.look()).toEqual({ changed: [], broken: new Map([['DATABASE_URL_FILE', 'another server']]) });
    expect(asked).toEqual(['postgres://two@elsewhere/x', 'postgres://two@elsewhere/x']);
    expect(live.current.database?.url.value).toBe('postgres://one@db/x');
  });

  it('follows no file that leads away from this machine without TLS', async () => {
    write('url', 'postgres://one@localhost/x');
    open({ ALLOW_CLEARTEXT: '' });
    write('url', 'postgres://one@elsewhere/x');
    await live.look();
    expect((await live.look())?.broken.get('DATABASE_URL_FILE')).toContain('ALLOW_CLEARTEXT names postgres');
    expect(live.current.database?.url.value).toBe('postgres://one@localhost/x');
  });

  describe('whose new secret anybody could guess', () => {
    const compose = readFileSync(new URL('../../../../docker-compose.yml', import.meta.url), 'utf8');
    const published = /LOYALTYD_ENCRYPTION_KEY:-([^}]+)\}/.exec(compose)?.[1] ?? '';
    const random = Buffer.from([...Array(32).keys()]).toString('base64');
    const repeated = Buffer.alloc(32, 'ab').toString('base64');

    it.each([
      ['the one that this repository shows', published, 'shows to everybody'],
      ['of zeros', Buffer.alloc(32).toString('base64'), 'must be random'],
      ['of few bytes again and again', repeated, 'must be random'],
      ['such a one behind another', `${random},${repeated}`, 'must be random'],
      ['not of 32 bytes', 'aaaa', '32 bytes'],
      ['empty', '', ''],
    ])('keeps the key of its start where the new one is %s', async (_what, key, rule) => {
      write('key', random);
      open({ LOYALTYD_ENCRYPTION_KEY: undefined, LOYALTYD_ENCRYPTION_KEY_FILE: pathOf('key') });
      const former = live.current.encryptionKeys;
      write('key', key);
      await live.look();
      expect((await live.look())?.broken.get('LOYALTYD_ENCRYPTION_KEY_FILE')).toContain(rule);
      expect(live.current.encryptionKeys).toEqual(former);
    });

    it('keeps the tokens of its start where a new one is shown by this repository', async () => {
      write('tokens', /OPS_TOKENS: (\S+)/.exec(compose)?.[1] ?? '');
      await live.look();
      expect((await live.look())?.broken.get('OPS_TOKENS_FILE')).toContain('shows to everybody');
      expect(names()).toEqual(['ann']);
    });
  });

  it('takes over the rest while a guard cannot tell, which that may be waiting for', async () => {
    const asked: (string | undefined)[] = [];
    live.guard('OPS_TOKENS_FILE', () => {
      const url = live.current.database?.url.value;
      asked.push(url);
      return url === 'postgres://two@db/x' ? Promise.resolve(null) : Promise.reject(new Error('no such login'));
    });
    write('tokens', tokens('bob'));
    write('url', 'postgres://two@db/x');
    await live.look();
    expect(await live.look()).toEqual({ changed: ['DATABASE_URL_FILE'], broken: new Map() });
    expect([names(), live.current.database?.url.value]).toEqual([['ann'], 'postgres://two@db/x']);
    expect(await live.look()).toEqual({ changed: ['OPS_TOKENS_FILE'], broken: new Map() });
    expect([names(), await live.look()]).toEqual([['bob'], null]);
    expect(asked).toEqual(['postgres://one@db/x', 'postgres://two@db/x']);
  });

  it('follows the files back to what they were before a guard could not tell', async () => {
    live.guard('OPS_TOKENS_FILE', () => Promise.reject(new Error('Postgres is away')));
    write('tokens', tokens('bob'));
    write('url', 'postgres://two@db/x');
    await live.look();
    expect((await live.look())?.changed).toEqual(['DATABASE_URL_FILE']);
    write('tokens', tokens('ann'));
    write('url', 'postgres://one@db/x\n');
    await live.look();
    expect(await live.look()).toEqual({ changed: ['DATABASE_URL_FILE'], broken: new Map() });
    expect([names(), await live.look()]).toEqual([['ann'], null]);
  });

  it('keeps calling a file broken while its guard cannot tell of a change', async () => {
    let answer: () => Promise<string | null> = () => Promise.resolve('opens nothing');
    live.guard('OPS_TOKENS_FILE', () => answer());
    write('tokens', tokens('bob'));
    await live.look();
    await live.look();
    answer = () => Promise.reject(new Error('Postgres is away'));
    write('tokens', tokens('bob', 'cid'));
    await live.look();
    await expect(live.look()).rejects.toThrow('Postgres is away');
    expect([names(), [...live.broken]]).toEqual([['ann'], [['OPS_TOKENS_FILE', 'opens nothing']]]);
  });

  it('takes no folder, no pipe and nothing large for a file', async () => {
    unlinkSync(pathOf('tokens'));
    mkdirSync(pathOf('tokens'));
    write('url', `postgres://two@db/${'x'.repeat(1_048_576)}`);
    await live.look();
    expect([...((await live.look())?.broken.keys() ?? [])]).toEqual(['DATABASE_URL_FILE', 'OPS_TOKENS_FILE']);
  });
});
