import { inspect } from 'node:util';
import { type Clock, SystemClock } from '#platform';
import { type AxiosInstance, type AxiosRequestConfig, isAxiosError } from 'axios';
import { VirtualClock } from '#test-support';
import { partnerHttpOver } from '../../test/http-client-over.js';
import { answer, answerJson, hangUp, type Reply, ScriptedServer } from '../../test/scripted-server.js';
import { Dispatchers } from './connections.js';
import { type ApiRequest, HttpClient, PartnerCallError } from './http-client.js';
import type { HttpResult } from './http-exchange.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface SetUp {
  readonly server: ScriptedServer;
  /** For interceptors of the user's. */
  readonly axios: AxiosInstance;
  readonly send: (parts?: Partial<ApiRequest>) => Promise<HttpResult>;
}

async function setUp(reply: Reply, clock: Clock = new SystemClock()): Promise<SetUp> {
  const server = await ScriptedServer.start(reply);
  const dispatchers = new Dispatchers(clock);
  closers.push(
    () => server.close(),
    () => dispatchers.close(),
  );
  const http = partnerHttpOver(dispatchers, clock);
  const client = new HttpClient(http, { clock });
  const send: SetUp['send'] = (parts = {}) =>
    client.send({
      origin: server.origin,
      path: '/brands/101/passes?unique_id=m_81273',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":59.990}',
      timeoutMs: 5_000,
      bearer: 's3cret-token',
      ...parts,
    });
  return { server, axios: http.axiosRef, send };
}

/** Resolves with the first error that a call of axios ends with. */
function firstError(axios: AxiosInstance): Promise<unknown> {
  return new Promise((resolve) => {
    axios.interceptors.response.use(null, (error: Error) => {
      resolve(error);
      return Promise.reject(error);
    });
  });
}

describe('an interceptor that sends again', () => {
  const lost = { phase: 'sent', error: 'reset', status: null };

  it('what failed, by the config of the error: the partner has one request', async () => {
    const { server, axios, send } = await setUp(hangUp);
    const second = new Promise((resolve) => {
      axios.interceptors.response.use(null, (error: PartnerCallError) => {
        if (error.code === 'reset') return axios.request(error.config ?? {});
        resolve(error);
        return Promise.reject(error);
      });
    });
    expect(await send()).toMatchObject(lost);
    expect(await second).toMatchObject({ code: 'permit-used', exchange: { phase: 'not-sent' } });
    expect(server.seen).toHaveLength(1);
  });

  it('what failed, by a copy that it kept, three times', async () => {
    const { server, axios, send } = await setUp(hangUp);
    let kept: AxiosRequestConfig = {};
    axios.interceptors.request.use((config) => {
      kept = Object.assign({}, config);
      return config;
    });
    const codes: unknown[] = [];
    const gaveUp = new Promise<void>((resolve) => {
      axios.interceptors.response.use(null, (error: PartnerCallError) => {
        codes.push(error.code);
        if (codes.length <= 3) return axios.request(kept);
        resolve();
        return Promise.reject(error);
      });
    });
    expect(await send()).toMatchObject(lost);
    await gaveUp;
    expect(codes).toEqual(['reset', 'permit-used', 'permit-used', 'permit-used']);
    expect(server.seen).toHaveLength(1);
  });

  it('what was answered: the answer stays the one that came', async () => {
    const { server, axios, send } = await setUp(answerJson(500, {}));
    axios.interceptors.response.use(({ config }) => axios.request(config));
    const refused = firstError(axios);
    expect(await send()).toMatchObject({ phase: 'answered', status: 500 });
    expect(await refused).toMatchObject({ code: 'permit-used' });
    expect(server.seen).toHaveLength(1);
  });

  it('the same twice at once', async () => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    let isOuter = true;
    axios.interceptors.request.use(async (config) => {
      if (!isOuter) return config;
      isOuter = false;
      await axios.request(config);
      return config;
    });
    const refused = firstError(axios);
    expect(await send()).toMatchObject({ phase: 'answered', status: 200 });
    expect(await refused).toMatchObject({ code: 'permit-used' });
    expect(server.seen).toHaveLength(1);
  });

  it('after the call was given up: nothing is sent any more', async () => {
    const clock = new VirtualClock();
    const { server, axios, send } = await setUp(answer(200, '{}'), clock);
    const held = Promise.withResolvers<null>();
    axios.interceptors.request.use(async (config) => {
      await held.promise;
      return config;
    });
    const refused = firstError(axios);
    const late = send({ timeoutMs: 1_000 });
    const abort = new AbortController();
    const aborted = send({ signal: abort.signal });
    abort.abort();
    await clock.advance(1_000);
    expect(await late).toMatchObject({ phase: 'not-sent', error: 'timeout' });
    expect(await aborted).toMatchObject({ phase: 'not-sent', error: 'aborted' });
    held.resolve(null);
    expect(await refused).toMatchObject({ code: 'permit-withdrawn' });
    expect(server.seen).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('an interceptor', () => {
  it('sees address, method, body and how far each call got, and may add headers', async () => {
    const { server, axios, send } = await setUp(answerJson(201, { b: 2 }));
    axios.interceptors.request.use((config) => {
      config.headers.set('X-Api-Key', '7');
      return config;
    });
    const seen: unknown[] = [];
    const answered = new Promise<void>((resolve) => {
      axios.interceptors.response.use(({ config, exchange, status, headers, data }) => {
        seen.push({
          url: config.url,
          method: config.method,
          data: config.data as unknown,
          sent: Object.assign({}, config.headers),
        });
        seen.push({ exchange, status, type: headers['content-type'] as unknown, text: String(data) });
        resolve();
        return Promise.reject(new Error('an interceptor has nothing to say about it'));
      });
    });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(await send({ traceparent })).toMatchObject({ phase: 'answered', status: 201 });
    await answered;
    expect(seen).toEqual([
      {
        url: `${server.origin}/brands/101/passes?unique_id=m_81273`,
        method: 'post',
        data: '{"amount":59.990}',
        sent: { 'X-Api-Key': '7', traceparent, 'content-type': 'application/json' },
      },
      {
        exchange: { phase: 'answered', error: null, status: 201, durationMs: expect.any(Number) as number },
        status: 201,
        type: 'application/json',
        text: '{"b":2}',
      },
    ]);
    expect(server.seen).toMatchObject([
      {
        body: '{"amount":59.990}',
        headers: {
          authorization: 'Bearer s3cret-token',
          'x-api-key': '7',
          traceparent,
          'content-type': 'application/json',
        },
      },
    ]);
  });

  it('does not see the token, nor can it put another in its place', async () => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    const shown: string[] = [];
    axios.interceptors.request.use((config) => {
      shown.push(inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config));
      config.headers.set('Authorization', 'Bearer other');
      return config;
    });
    await send();
    expect(shown.join()).not.toContain('s3cret');
    expect(server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer s3cret-token' });
  });

  it('waits as long as it likes, within the deadline', async () => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    axios.interceptors.request.use(async (config) => {
      await new Promise(setImmediate);
      return config;
    });
    expect(await send()).toMatchObject({ phase: 'answered', status: 200 });
    expect(server.seen).toHaveLength(1);
  });

  it.each<[what: string, change: (config: AxiosRequestConfig) => void]>([
    ['address', (config) => (config.url = `${config.url ?? ''}0`)],
    ['method', (config) => (config.method = 'get')],
    ['body', (config) => (config.data = { amount: 59.99 })],
    ['parameters', (config) => (config.params = { unique_id: 'other' })],
  ])('that changes the %s: nothing is sent', async (_what, change) => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    axios.interceptors.request.use((config) => {
      change(config);
      return config;
    });
    const refused = firstError(axios);
    expect(await send()).toMatchObject({ phase: 'not-sent', error: 'unsendable' });
    expect(await refused).toMatchObject({ code: 'altered' });
    expect(server.seen).toEqual([]);
  });

  it('that fails: nothing is sent', async () => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    axios.interceptors.request.use(() => Promise.reject(new Error('of theirs')));
    expect(await send()).toMatchObject({ phase: 'not-sent', error: 'unsendable' });
    expect(server.seen).toEqual([]);
  });

  it('that throws ours away: nothing is sent', async () => {
    const { server, axios, send } = await setUp(answer(200, '{}'));
    axios.interceptors.request.clear();
    expect(await send()).toMatchObject({ phase: 'not-sent', error: 'unsendable' });
    expect(server.seen).toEqual([]);
  });
});

it('a call that nobody permitted is not sent', async () => {
  const { server, axios } = await setUp(answer(200, '{}'));
  await expect(axios.get(`${server.origin}/brands`)).rejects.toMatchObject({ code: 'no-permit' });
  expect(server.seen).toEqual([]);
});

describe('the error of a call', () => {
  const forms = (error: unknown): string => {
    const json = isAxiosError(error) ? JSON.stringify(error.toJSON()) : '';
    return [String(error), json, JSON.stringify(error), inspect(error, { depth: 9, getters: true })].join('\n');
  };
  const kept = /s3cret|59\.99|m_81273|authorization/i;

  it('says how far it got, and holds neither token nor query nor body', async () => {
    const { axios, server, send } = await setUp(hangUp);
    const failed = firstError(axios);
    await send();
    const error = await failed;
    expect(error).toBeInstanceOf(PartnerCallError);
    expect(error).toMatchObject({
      code: 'reset',
      message: 'sent: reset',
      config: { method: 'post', url: `${server.origin}/brands/101/passes` },
      exchange: { phase: 'sent', error: 'reset', status: null, durationMs: expect.any(Number) as number },
    });
    expect(forms(error)).toContain('sent: reset');
    expect(forms(error)).not.toMatch(kept);
  });

  it('nor when nothing was sent', async () => {
    const { axios, server, send } = await setUp(hangUp);
    await server.close();
    closers.shift();
    const failed = firstError(axios);
    await send();
    const error = await failed;
    expect(error).toMatchObject({ code: 'connection-refused', exchange: { phase: 'not-sent' } });
    expect(forms(error)).not.toMatch(kept);
  });

  it('nor when it is of axios itself', async () => {
    const { axios, send } = await setUp(answer(200, '{}'));
    axios.interceptors.request.use((config) => ({ ...config, signal: AbortSignal.abort() }));
    const failed = firstError(axios);
    expect(await send()).toMatchObject({ phase: 'not-sent', error: 'unsendable' });
    const error = await failed;
    expect(error).toMatchObject({ code: 'ERR_CANCELED' });
    expect(forms(error)).not.toMatch(kept);
  });
});
