import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sampleEvent } from '#events';
import { waitUntil } from '#embedded';
import { kafkaClient } from '#test-support';

import { endDev, startDev, type RunningDev } from './testing/running-dev.js';

const arrivalTimeoutMs = 15_000;

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
    endDev();
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
