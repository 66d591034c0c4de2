import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { sampleEvent } from '#events';
import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const startTimeoutMs = 60_000;
const arrivalTimeoutMs = 15_000;

interface RunningDev {
  readonly brokers: string;
  readonly operations: string;
  readonly ledger: string;
  /** With a code that logs in once. */
  readonly console: string;
  /** Ctrl-C. @returns the exit code */
  interrupt(): Promise<number | null>;
}

/** What stands in a line of the printed table. */
const rowOf = (output: string, name: string): string =>
  new RegExp(`^ {2}${name} +(.*)$`, 'm').exec(output)?.[1] ?? `no row ${name}`;

let child: ChildProcess | undefined;

const startDev = async (dataFolder: string): Promise<RunningDev> => {
  const words = ['dev', '--data', dataFolder, '--port', '0', '--sandbox-port', '0'];
  const dev = spawn(process.execPath, [join(root, 'apps/cli/bin/loyaltyd.js'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  child = dev;
  let output = '';
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<number | null>((resolve) => dev.once('close', resolve));
  await waitUntil(
    () => {
      if (dev.exitCode !== null) throw new Error(output);
      return output.includes('Ctrl-C stops everything.');
    },
    { what: 'loyaltyd dev', timeoutMs: startTimeoutMs },
  );
  return {
    brokers: rowOf(output, 'kafka').split(' ')[0] ?? '',
    operations: rowOf(output, 'daemon').split(' ')[0] ?? '',
    console: rowOf(output, 'console').split(' ')[0] ?? '',
    ledger: /ledger (\S+)/.exec(rowOf(output, 'wallet sandbox'))?.[1] ?? '',
    interrupt: () => {
      dev.kill('SIGINT');
      return ended;
    },
  };
};

const enrol = async (brokers: string, memberId: string): Promise<void> => {
  const producer = kafkaClient({ brokers }).producer();
  await producer.connect();
  const { type, source, data } = sampleEvent('loyalty.member.enrolled.v1', { data: { memberId } });
  const time = new Date().toISOString();
  const value = JSON.stringify({ specversion: '1.0', id: memberId, type, source, time, data });
  const headers = { 'content-type': 'application/cloudevents+json' };
  await producer.send({ topic: 'loyalty.members', messages: [{ key: memberId, value, headers }] });
  await producer.disconnect();
};

const enrolledAtPartner = async (ledger: string): Promise<readonly string[]> => {
  const page = (await (await fetch(ledger)).json()) as { readonly items: readonly { readonly uniqueId: string }[] };
  return page.items.map(({ uniqueId }) => uniqueId);
};

describe('loyaltyd dev', () => {
  // Made by `dev` itself: into a folder of mkdtemp's Postgres could not go when root runs this.
  const dataFolder = join(tmpdir(), `loyaltyd-dev-${randomUUID()}`);

  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(dataFolder, { recursive: true, force: true });
  });

  it('runs everything, stops in order at Ctrl-C, and goes on with the kept data', async () => {
    const first = await startDev(dataFolder);
    expect((await fetch(`${first.operations}/health/ready`)).status).toBe(200);
    const redeem = async (): Promise<Response> =>
      fetch(`${first.operations}/api/v1/login-links/redeem`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: new URL(first.console).hash.replace('#code=', '') }),
      });
    const { token } = (await (await redeem()).json()) as { readonly token: string };
    const me = await fetch(`${first.operations}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ name: 'dev', role: 'admin' });
    expect((await redeem()).status).toBe(404);
    await enrol(first.brokers, 'ada');
    const arrived = async (dev: RunningDev, count: number): Promise<boolean> =>
      (await enrolledAtPartner(dev.ledger)).length === count;
    await waitUntil(() => arrived(first, 1), { what: 'the enrolment', timeoutMs: arrivalTimeoutMs });
    expect(await first.interrupt()).toBe(0);

    const second = await startDev(dataFolder);
    expect(await enrolledAtPartner(second.ledger)).toEqual(['ada']);
    await enrol(second.brokers, 'grace');
    await waitUntil(() => arrived(second, 2), { what: 'the other enrolment', timeoutMs: arrivalTimeoutMs });
    expect(await enrolledAtPartner(second.ledger)).toEqual(['ada', 'grace']);
    expect(await second.interrupt()).toBe(0);
  });
});
