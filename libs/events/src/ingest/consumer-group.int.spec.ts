import { createTopics, describeWithRealKafka, kafkaClient, testBroker, testDatabase, testTopics } from '#test-support';
import type { TestDatabase, TestTopics } from '#test-support';

import { purchase } from './testing/events.js';
import { recordingLogger, until, type LogLine } from './testing/fakes.js';
import type { IngestFixture, SharedKeys } from './testing/ingest-fixture.js';
import { sharedKeys } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);

describe('two databases', () => {
  let topics: TestTopics;
  let harness: IngestHarness;
  let database: TestDatabase;

  beforeEach(async () => {
    topics = testTopics();
    database = await testDatabase();
    await createTopics(broker, topics.all, 2);
    const { groupId } = topics;
    harness = await IngestHarness.open({ kafka, brokers: broker.brokers, databaseUrl: database.url, topics, groupId });
  });

  afterEach(async () => {
    await harness.close();
    await database.dispose();
  });

  describeWithRealKafka(broker, 'in a consumer group', () => {
    async function join(keys: SharedKeys): Promise<{ readonly replica: IngestFixture; readonly lines: LogLine[] }> {
      const { logger, lines } = recordingLogger();
      return { replica: await harness.start({}, { keys, settings: { logger } }), lines };
    }

    const has =
      (lines: readonly LogLine[], text: string): (() => boolean) =>
      () =>
        lines.some(({ message }) => message.startsWith(text));

    it('regression: never shares partitions with who consumes into another database, until the group is free', async () => {
      const one = await join(harness.keys);
      await until(has(one.lines, 'partition placed'), 60_000);
      const other = await join(sharedKeys());
      await until(has(other.lines, 'this consumer group consumes into another database'), 60_000);
      const sales = [0, 1].map((partition) => ({ ...purchase(`${partition}`, 'm_1'), partition }));
      await harness.send(topics.purchases, ...sales);
      await harness.hasCounted('recorded', 2);
      expect(has(other.lines, 'partition placed')()).toBe(false);
      await harness.stop(one.replica);
      await until(has(other.lines, 'partition placed'), 60_000);
    });
  });
});
