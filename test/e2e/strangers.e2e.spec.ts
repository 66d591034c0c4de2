import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import type { RunningProcess } from '#test-support';
import { programCommand, startProcess } from '#test-support';

import { ApiClient, apiTokens, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';

/** While each flood lasts; `npm run bench -- --only flood` measures what floods cost, in memory, too. */
const probesEach = 40;
const dribbleMs = 250;

describe('a daemon that strangers can reach', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let address: URL;
  /** Half a minute, which they take beside the floods: those are no excuse. */
  let dribbles: Promise<PromiseSettledResult<string>[]>;
  /** What has been answered to the end, in order. */
  const ended: string[] = [];

  beforeAll(async () => {
    harness = await openHarness();
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    address = new URL(String(daemon.ready['operations']));
    dribbles = Promise.allSettled([
      dribble('head', post, 'X-More: 1\r\n'),
      dribble('body', [...post, `Authorization: Bearer ${tokenOf('admin')}`, 'Content-Length: 60000', ''], ' '),
      dribble('foreign', [...post, 'Content-Length: 4000000', ''], ' '),
    ]);
  });

  afterAll(async () => {
    await harness.close();
  });

  async function probe(path: string): Promise<number> {
    const response = await fetch(new URL(path, address), { headers: { connection: 'close' } });
    await response.text();
    return response.status;
  }

  it.each([
    ['two hundred who post 4 MiB each', 'post', 200],
    ['fifty whose body never ends', 'endless', 50],
    ['five hundred who send their body byte by byte', 'slow-body', 500],
    ['five hundred who send their head line by line', 'slow-head', 500],
    ['six hundred who say nothing, more than the limit of connections', 'silent', 600],
  ])('answers every probe while there are %s, without a token', async (_what, way, count) => {
    const { hostname, port } = address;
    const command = programCommand('test/e2e/strangers/flood.ts', hostname, port, way, String(count));
    const flood = await startProcess(command);
    try {
      const statuses: number[] = [];
      while (statuses.length < probesEach) {
        for (const path of ['/health/live', '/health/ready']) statuses.push(await probe(path));
      }
      expect(statuses).toEqual(Array(probesEach).fill(200));
      expect(await new ApiClient(daemon, 'viewer').get('/pauses')).toMatchObject({ status: 200 });
    } finally {
      await flood.stop();
    }
  });

  /** Sends the head of a request, and then a little every now and then. @returns everything that was answered to the end */
  async function dribble(name: string, head: readonly string[], bit: string): Promise<string> {
    const socket: Socket = connect(Number(address.port), address.hostname);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write(`${head.join('\r\n')}\r\n`);
    const timer = setInterval(() => socket.write(bit), dribbleMs);
    try {
      const answer = await text(socket);
      ended.push(name);
      return answer;
    } finally {
      clearInterval(timer);
      socket.destroy();
    }
  }

  const post = ['POST /api/v1/pauses HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const tooLate = /^HTTP\/1\.1 408 [^]*application\/problem\+json[^]*"type":"urn:loyaltyd:problem:http-408"/;

  it('ends what comes byte by byte: at once a body without a token, a head after 10 s, the body of somebody with one after 30 s', async () => {
    const [head, body, foreign] = (await dribbles).map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }) as [string, string, string];
    expect(head).toMatch(tooLate);
    expect(body).toMatch(tooLate);
    expect(foreign).toMatch(/^HTTP\/1\.1 401 /);
    expect(ended).toEqual(['foreign', 'head', 'body']);
  });

  it('takes 4 MiB only where a record, or a partner’s list, may be that large', async () => {
    const admin = new ApiClient(daemon, 'admin');
    const reason = 'x'.repeat(100_000);
    for (const path of ['/pauses', '/jobs/a/start', '/intents/a~b~1/cancel', '/quarantine/1/discard']) {
      expect(await admin.post(path, { reason })).toMatchObject({
        ...{ status: 413, contentType: 'application/problem+json; charset=utf-8' },
        body: { type: 'urn:loyaltyd:problem:http-413', status: 413 },
      });
    }
    const list = 'x'.repeat(2_900_000);
    const settling = { kind: 'settle', query: { program: 'coffee-club' }, reason: 'their list', list };
    expect(await admin.post('/jobs', settling)).toMatchObject({ status: 400 });
    const corrected = { value: 'x'.repeat(3_000_000) };
    expect(await admin.post('/quarantine/1/resubmit', { reason: 'mended', corrected })).toMatchObject({ status: 404 });
    const command = { note: 'x'.repeat(3_000_000) };
    expect(await admin.post('/intents/a~b~1/correct', { reason: 'mended', command })).toMatchObject({ status: 404 });
    expect(await admin.post('/intents/a~b~1/correct', { reason: 'x'.repeat(5_000_000) })).toMatchObject({
      status: 413,
    });
  });

  it('cannot read U+0000 in a path or a query, and says so', async () => {
    const admin = new ApiClient(daemon, 'admin');
    const paths = ['/intents/a~%00~1', '/intents/a~%2500~1', '/members/a/%00', '/members/%00/a', '/jobs/%00'];
    const queries = ['/intents?q=%00', '/intents?memberId=%00', '/audit?actor=%00', '/quarantine?topic=%00'];
    const answers = await Promise.all([...paths, ...queries].map((path) => admin.get(path)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual([400, 404, 400, 400, 400, 400, 400, 400, 400]);
  });
});
