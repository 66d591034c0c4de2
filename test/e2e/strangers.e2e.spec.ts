import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { sleepUnlessAborted, SystemClock } from '#platform';
import type { RunningProcess } from '#test-support';
import { processMemory, programCommand, startProcess } from '#test-support';

import { ApiClient, apiTokens, tokenOf } from './api-client.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';

/** Each flood lasts so long, while the daemon is watched. */
const floodMs = 4_000;
/** Between two looks; each probe is made on a connection of its own, as Kubernetes does. */
const lookMs = 20;
/** Alone a probe takes 5 to 20 ms; other test files want the same processors. */
const probeMsMax = 1_000;
const probeQuantile = 0.95;
/** The chart's time-out of the readiness probe: no probe may take so long that Kubernetes counts it as failed. */
const probeTimeoutMs = 4_000;
/** What was read of bodies with their heads, until it is collected: V8 begins at 64 MiB. All bodies together have 800 MiB. */
const growthMebibytesMax = 112;
const dribbleMs = 250;
const [headSecondsMax, requestSecondsMax, lingerSecondsMax] = [10, 30, 1];
/** Time-outs are looked at once a second. */
const slackSeconds = 4;

interface Dribble {
  readonly answer: string;
  readonly seconds: number;
}

interface Watched {
  readonly residentMebibytes: readonly number[];
  readonly probeMs: readonly number[];
}

const sorted = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** @param ascending from the least on */
const quantileOf = (ascending: readonly number[], part: number): number =>
  ascending[Math.floor(ascending.length * part)] ?? Infinity;

const clock = new SystemClock();
const never = new AbortController().signal;

describe('a daemon that strangers can reach', () => {
  let harness: Harness;
  let daemon: RunningProcess;
  let address: URL;
  /** Half a minute, which they take beside the floods: those are no excuse. */
  let dribbles: Promise<PromiseSettledResult<Dribble>[]>;

  beforeAll(async () => {
    harness = await openHarness();
    daemon = await harness.startDaemon({ OPS_TOKENS: apiTokens });
    address = new URL(String(daemon.ready['operations']));
    dribbles = Promise.allSettled([
      dribble(post, 'X-More: 1\r\n'),
      dribble([...post, `Authorization: Bearer ${tokenOf('admin')}`, 'Content-Length: 60000', ''], ' '),
      dribble([...post, 'Content-Length: 4000000', ''], ' '),
    ]);
  }, 180_000);

  afterAll(async () => {
    await harness.close();
  }, 60_000);

  const resident = async (): Promise<number> => (await processMemory(daemon.pid)).residentMebibytes;

  async function probeMs(url: URL): Promise<number> {
    const begun = performance.now();
    const response = await fetch(url, { headers: { connection: 'close' } });
    await response.text();
    expect(response.status).toBe(200);
    return performance.now() - begun;
  }

  async function watch(): Promise<Watched> {
    const residentMebibytes: number[] = [];
    const probes: number[] = [];
    const end = performance.now() + floodMs;
    while (performance.now() < end) {
      for (const path of ['/health/live', '/health/ready']) probes.push(await probeMs(new URL(path, address)));
      residentMebibytes.push(await resident());
      await sleepUnlessAborted(clock, lookMs, never);
    }
    return { residentMebibytes, probeMs: sorted(probes) };
  }

  it.each([
    ['twenty who post 4 MiB each', 'post', 20],
    ['two hundred who post 4 MiB each', 'post', 200],
    ['fifty whose body never ends', 'endless', 50],
    ['five hundred who send their body byte by byte', 'slow-body', 500],
    ['five hundred who send their head line by line', 'slow-head', 500],
    ['five hundred who say nothing', 'silent', 500],
    ['six hundred who say nothing, more than the limit of connections', 'silent', 600],
  ])(
    'answers probes and keeps its memory while there are %s, without a token',
    async (_what, way, count) => {
      const before = await resident();
      const { hostname, port } = address;
      const command = programCommand('test/e2e/strangers/flood.ts', hostname, port, way, String(count));
      const flood = await startProcess(command);
      try {
        const { residentMebibytes, probeMs: probes } = await watch();
        const figures = {
          ...{ way, count, before: Math.round(before), residentMebibytes: residentMebibytes.map(Math.round) },
          ...{ probes: probes.length, medianMs: quantileOf(probes, 0.5), p95Ms: quantileOf(probes, 0.95) },
          ...{ p99Ms: quantileOf(probes, 0.99), maxMs: probes.at(-1) },
        };
        process.stderr.write(`${JSON.stringify(figures)}\n`);
        expect(Math.max(...residentMebibytes) - before).toBeLessThan(growthMebibytesMax);
        expect(quantileOf(probes, probeQuantile)).toBeLessThan(probeMsMax);
        expect(probes.at(-1)).toBeLessThan(probeTimeoutMs);
        expect(await new ApiClient(daemon, 'viewer').get('/pauses')).toMatchObject({ status: 200 });
      } finally {
        await flood.stop();
      }
    },
    60_000,
  );

  /** Sends the head of a request, and then a little every now and then. @returns everything that was answered to the end */
  async function dribble(head: readonly string[], bit: string): Promise<Dribble> {
    const socket: Socket = connect(Number(address.port), address.hostname);
    await once(socket, 'connect');
    const begun = performance.now();
    socket.on('error', () => undefined);
    socket.write(`${head.join('\r\n')}\r\n`);
    const timer = setInterval(() => socket.write(bit), dribbleMs);
    try {
      return { answer: await text(socket), seconds: (performance.now() - begun) / 1_000 };
    } finally {
      clearInterval(timer);
      socket.destroy();
    }
  }

  const post = ['POST /api/v1/pauses HTTP/1.1', 'Host: x', 'Content-Type: application/json'];
  const tooLate = /^HTTP\/1\.1 408 [^]*application\/problem\+json[^]*"type":"urn:loyaltyd:problem:http-408"/;

  it('ends what comes byte by byte, a head within 10 s and the body of somebody with a token within 30 s', async () => {
    const [head, body, foreign] = (await dribbles).map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return outcome.value;
    }) as [Dribble, Dribble, Dribble];
    process.stderr.write(`${JSON.stringify([head.seconds, body.seconds, foreign.seconds])}\n`);
    expect(head.answer).toMatch(tooLate);
    expect(body.answer).toMatch(tooLate);
    expect(foreign.answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(head.seconds).toBeLessThan(headSecondsMax + slackSeconds);
    expect(body.seconds).toBeLessThan(requestSecondsMax + slackSeconds);
    expect(foreign.seconds).toBeLessThan(lingerSecondsMax + slackSeconds);
  }, 60_000);

  it('takes 4 MiB only where a record may be that large', async () => {
    const admin = new ApiClient(daemon, 'admin');
    const reason = 'x'.repeat(100_000);
    for (const path of ['/pauses', '/replays', '/intents/a~b~1/cancel', '/quarantine/1/discard', '/exports']) {
      expect(await admin.post(path, { reason })).toMatchObject({
        ...{ status: 413, contentType: 'application/problem+json; charset=utf-8' },
        body: { type: 'urn:loyaltyd:problem:http-413', status: 413 },
      });
    }
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
    const paths = ['/intents/a~%00~1', '/intents/a~%2500~1', '/members/a/%00', '/members/%00/a', '/replays/%00'];
    const queries = ['/intents?q=%00', '/intents?memberId=%00', '/audit?actor=%00', '/quarantine?topic=%00'];
    const answers = await Promise.all([...paths, ...queries].map((path) => admin.get(path)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual([400, 404, 400, 400, 400, 400, 400, 400, 400]);
  });
});
