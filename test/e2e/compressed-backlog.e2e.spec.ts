import { isDeepStrictEqual } from 'node:util';

import { waitUntil } from '#embedded';
import { createTopics, queryOnce, testTopics } from '#test-support';

import type { Harness } from './harness.js';
import { openHarness } from './harness.js';
import { sendBacklog, smallContainerOptions } from './large-batches.js';

const partitions = 12;

describe('a compressed backlog with bombs in it', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness();
  });

  afterAll(async () => {
    await harness.close();
  });

  // `npm run bench -- --only container` measures that 512 MiB are enough.
  it('is taken in by a process with the options for a container of 512 MiB', async () => {
    const topics = testTopics();
    await createTopics(harness.broker, [topics.members, topics.purchases, topics.rewards], partitions);
    const sent = await sendBacklog(harness.broker, topics.purchases);
    await harness.startDaemon({
      ...topics.environment,
      KAFKA_TOPIC_DEAD_LETTER: 'none',
      KAFKA_TOPIC_OUTCOMES: 'none',
      LOYALTYD_ROLES: 'ingest',
      NODE_OPTIONS: smallContainerOptions,
    });
    const counts = async (): Promise<unknown> =>
      (
        await queryOnce(
          harness.database.url,
          'SELECT (SELECT count(*)::int FROM intent) AS purchases, (SELECT count(*)::int FROM quarantine) AS bombs',
        )
      )[0];
    await waitUntil(async () => isDeepStrictEqual(await counts(), sent), {
      what: 'the whole backlog to be recorded or set aside',
      timeoutMs: 240_000,
      intervalMs: 250,
    });
    const setAside = await queryOnce<{ reason: string }>(harness.database.url, 'SELECT reason FROM quarantine');
    expect(setAside.map(({ reason }) => reason)).toEqual(Array(sent.bombs).fill('oversized'));
  });
});
