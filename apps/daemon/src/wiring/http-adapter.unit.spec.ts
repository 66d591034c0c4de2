import { httpAdapter } from './http-adapter.js';

async function pathSeen(basePath: string, url: string): Promise<unknown> {
  const server = httpAdapter(basePath).getInstance();
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
