import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { waitUntil } from '#embedded';
import { sampleEvent } from '#events';
import { kafkaClient } from '#test-support';

import { endDev, startDev } from './testing/running-dev.js';

const arrivalTimeoutMs = 15_000;

const programs = `
programs:
  shop: { brandId: 7, programId: 70, templateId: 3, currency: EUR }
`;

interface LedgerItem {
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
}

describe('loyaltyd dev with files of one’s own', () => {
  let folder: string;
  const dataFolder = join(tmpdir(), `loyaltyd-dev-${randomUUID()}`);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loyaltyd-own-'));
  });

  afterEach(async () => {
    endDev();
    for (const path of [folder, dataFolder]) await rm(path, { recursive: true, force: true });
  });

  it('serves their programs, which the sandbox knows', async () => {
    const file = join(folder, 'loyaltyd.yaml');
    await writeFile(file, programs);
    const dev = await startDev(dataFolder, ['--programs', file]);
    const producer = kafkaClient({ brokers: dev.brokers }).producer();
    await producer.connect();
    const { type, source, data } = sampleEvent('loyalty.member.enrolled.v1', {
      data: { program: 'shop', memberId: 'ada', tier: undefined },
    });
    const value = JSON.stringify({
      ...{ specversion: '1.0', id: 'ada', type, source, data },
      time: new Date().toISOString(),
    });
    const headers = { 'content-type': 'application/cloudevents+json' };
    await producer.send({ topic: 'loyalty.members', messages: [{ key: 'ada', value, headers }] });
    await producer.disconnect();
    const ledger = async (): Promise<readonly LedgerItem[]> =>
      ((await (await fetch(dev.ledger)).json()) as { readonly items: readonly LedgerItem[] }).items;
    await waitUntil(async () => (await ledger()).length === 1, { what: 'the enrolment', timeoutMs: arrivalTimeoutMs });
    expect(await ledger()).toMatchObject([{ operation: 'issue', brandId: '7', programId: '70', uniqueId: 'ada' }]);
    expect(await dev.interrupt()).toBe(0);
  });
});
