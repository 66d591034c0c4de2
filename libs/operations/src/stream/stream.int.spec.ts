import { createHash } from 'node:crypto';

import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FastifyAdapter } from '@nestjs/platform-fastify';

import type { OperatorToken, StatsView } from '#contracts';
import { statsViewSchema } from '#contracts';
import { waitUntil } from '#embedded';
import { migrations } from '#migrations';
import { Clock, Database, PostgresConnection, SystemClock } from '#platform';
import type { TestDatabase } from '#test-support';
import { testDatabase } from '#test-support';

import { AccessSettings } from '../access/access-settings.js';
import { admitBeforeBodies } from '../access/admission.js';
import { OperationsModule } from '../operations.module.js';
import { ProblemFilter } from '../problems/api-problem.js';
import { portsModule } from '../testing/ports.js';
import { LiveFeed } from './live-feed.js';

const token = 'operator-token';
const headers = { authorization: `Bearer ${token}` };

/** Reads what a stream tells. */
class StreamReader {
  text = '';
  isOver = false;
  private readonly patience = new AbortController();

  static async open(url: string, more: Readonly<Record<string, string>> = {}): Promise<StreamReader> {
    const reader = new StreamReader();
    const { signal } = reader.patience;
    const response = await fetch(url, { headers: { ...headers, ...more }, signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    void reader.read(response);
    return reader;
  }

  /** The data of every event of that name. */
  of(name: string): unknown[] {
    const blocks = this.text.split('\n\n').filter((block) => block.startsWith(`event: ${name}\n`));
    return blocks.map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as unknown);
  }

  close(): void {
    this.patience.abort();
  }

  private async read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body ?? []) this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Closed by us.
    } finally {
      this.isOver = true;
    }
  }
}

describe('the live stream of a process', () => {
  let test: TestDatabase;
  let connection: PostgresConnection;
  let app: NestFastifyApplication;
  let url: string;
  let tokens: readonly OperatorToken[];

  beforeAll(async () => {
    test = await testDatabase();
    connection = new PostgresConnection({
      ...{ url: test.url, poolSize: 2, ssl: false, applicationName: 'stream-spec', migrations },
      onPoolError: () => undefined,
    });
    await connection.connect();
  });

  afterAll(async () => {
    await connection.close();
    await test.dispose();
  });

  beforeEach(async () => {
    const sha256 = createHash('sha256').update(token).digest('hex');
    tokens = [{ name: 'ada', role: 'operator', sha256 }];
    const clock = new SystemClock();
    const open = { isReadOnly: false, metrics: 'open', trustedProxies: [] } as const;
    const access: AccessSettings = { tokens: () => tokens, oidc: null, clock, ...open };
    const { database } = connection;
    const ports = portsModule([
      [AccessSettings, access],
      [Clock, clock],
      [Database, database],
    ]);
    const module = OperationsModule.forRoot([ports]);
    const adapter = new FastifyAdapter();
    admitBeforeBodies(adapter, access);
    app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger: false });
    const error = (): never => {
      throw new Error('nothing unforeseen should happen');
    };
    app.useGlobalFilters(new ProblemFilter({ error } as unknown as ConstructorParameters<typeof ProblemFilter>[0]));
    await app.listen(0, '127.0.0.1');
    url = `${await app.getUrl()}/api/v1`;
  });

  afterEach(async () => {
    app.get(LiveFeed).close();
    await app.close();
  });

  const post = async (method: string, path: string, body: object): Promise<number> => {
    const answer = { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return (await fetch(`${url}${path}`, answer)).status;
  };
  const soon = { timeoutMs: 60_000 };

  it('tells what GET /stats answers, and each pause with who set it, to whoever watches', async () => {
    const answered = (await (await fetch(`${url}/stats`, { headers })).json()) as StatsView;
    expect(statsViewSchema.parse(answered)).toMatchObject({ intents: [], pauses: [], countedUntil: { lagSeconds: 0 } });
    const viewers = await Promise.all([StreamReader.open(`${url}/stream`), StreamReader.open(`${url}/stream`)]);
    const pause = { program: 'tea', reason: 'stocktaking' };
    expect(await post('POST', '/pauses', pause)).toBe(200);
    for (const viewer of viewers) {
      await waitUntil(() => viewer.of('action').length === 1 && viewer.of('pause').length === 2, {
        what: 'the pause to be told',
        ...soon,
      });
      expect(viewer.of('pause')).toMatchObject([{ items: [] }, { items: [{ program: 'tea', by: 'ada' }] }]);
      expect(viewer.of('action')).toMatchObject([{ actor: 'ada', action: 'pause.set', reason: 'stocktaking' }]);
      for (const stats of viewer.of('stats')) statsViewSchema.parse(stats);
      viewer.close();
    }
    expect(await post('DELETE', '/pauses', pause)).toBe(200);
    const [, id] = /^event: action\nid: (\d+)$/m.exec(viewers[0].text) ?? [];
    const back = await StreamReader.open(`${url}/stream`, { 'last-event-id': id ?? '' });
    await waitUntil(() => back.of('action').length === 1, { what: 'what was done meanwhile', ...soon });
    expect(back.of('action')).toMatchObject([{ action: 'pause.lift' }]);
    back.close();
  });

  it('ends at once when the process is about to end, which then need not wait for anybody', async () => {
    const viewer = await StreamReader.open(`${url}/stream`);
    await waitUntil(() => viewer.of('stats').length > 0, { what: 'the greeting', ...soon });
    app.get(LiveFeed).close();
    await waitUntil(() => viewer.isOver, { what: 'the end of the stream', timeoutMs: 30_000 });
    const refused = await fetch(`${url}/stream`, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject({ type: 'urn:loyaltyd:problem:draining' });
    await app.close();
  });

  it('ends for whoever’s token was taken away or now means less, and not for others', async () => {
    const viewer = await StreamReader.open(`${url}/stream`);
    await waitUntil(() => viewer.of('stats').length > 0, { what: 'the greeting', ...soon });
    tokens = [...tokens, { name: 'bob', role: 'viewer', sha256: 'b'.repeat(64) }];
    expect((await fetch(`${url}/stats`, { headers })).status).toBe(200);
    expect(viewer.isOver).toBe(false);
    tokens = tokens.slice(1);
    await waitUntil(() => viewer.isOver, { what: 'the end of the stream', timeoutMs: 30_000 });
    expect((await fetch(`${url}/stats`, { headers })).status).toBe(401);
  });

  it('ends for whoever may know of fewer programs now', async () => {
    const viewer = await StreamReader.open(`${url}/stream`);
    await waitUntil(() => viewer.of('stats').length > 0, { what: 'the greeting', ...soon });
    tokens = tokens.map((each) => ({ ...each, programs: ['tea'] }));
    await waitUntil(() => viewer.isOver, { what: 'the end of the stream', timeoutMs: 30_000 });
    expect((await fetch(`${url}/stats`, { headers })).status).toBe(200);
  });

  it('is for who has a token, and answers a HEAD without beginning', async () => {
    expect((await fetch(`${url}/stream`)).status).toBe(401);
    const head = await fetch(`${url}/stream`, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});
