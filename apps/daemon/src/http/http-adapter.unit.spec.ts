import { createHttpServer } from './http-adapter.js';

async function pathSeen(basePath: string, url: string): Promise<unknown> {
  const server = createHttpServer(basePath).adapter.getInstance();
  server.get('/*', (request) => ({ path: request.url, asked: request.originalUrl }));
  const answer = await server.inject({ method: 'GET', url });
  await server.close();
  return answer.json();
}

describe('the base path', () => {
  it.each([
    ['/loyalty', '/loyalty/api/v1/intents?limit=1', '/api/v1/intents?limit=1'],
    ['/loyalty', '/api/v1/intents', '/api/v1/intents'],
    ['/loyalty', '/health/live', '/health/live'],
    ['/loyalty', '/loyalty', '/'],
    ['/loyalty', '/loyalty?x=1', '/?x=1'],
    ['/loyalty', '/loyaltyd/api', '/loyaltyd/api'],
    ['/a/b', '/a/b/metrics', '/metrics'],
    ['/', '/metrics', '/metrics'],
  ])('%s: %s is served as %s', async (basePath, asked, path) => {
    expect(await pathSeen(basePath, asked)).toEqual({ path, asked });
  });
});

describe('an address', () => {
  const server = createHttpServer('/').adapter.getInstance();
  server.get('/intents/:id', (request) => request.params);

  afterAll(() => server.close());

  // An id of more than 100 characters could be listed, and nothing else.
  it('may name an intent of the longest program and member there are', async () => {
    const id = `${'p'.repeat(256)}~${'\u00e9'.repeat(256)}~1`;
    const answer = await server.inject({ method: 'GET', url: `/intents/${encodeURIComponent(id)}` });
    expect(answer.json()).toEqual({ id });
  });

  it.each([
    ['that cannot be decoded', '/intents/m%zz', 400],
    ['that is longer than any', `/intents/${'m'.repeat(9_000)}`, 414],
  ])('%s is answered with a problem that quotes none of it', async (_, url, status) => {
    const answer = await server.inject({ method: 'GET', url });
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.statusCode).toBe(status);
    expect(answer.json()).toEqual({
      type: `urn:loyaltyd:problem:http-${status}`,
      title: expect.any(String) as string,
      status,
      instance: expect.stringMatching(/^urn:loyaltyd:request:[\da-f-]{36}$/) as string,
    });
  });
});
