import {
  createTopics,
  describeWithRealKafka,
  kafkaClient,
  queryOnce,
  testBroker,
  testDatabase,
  testTopics,
} from '#test-support';
import type { TestDatabase, TestTopics } from '#test-support';

import { type Cell, takes } from './loop/prepare-record.js';
import { purchase } from './testing/events.js';
import { recordingLogger, until, type LogLine } from './testing/fakes.js';
import type { IngestFixture, SharedKeys } from './testing/ingest-fixture.js';
import { sharedKeys } from './testing/ingest-fixture.js';
import { IngestHarness } from './testing/ingest-harness.js';

const broker = await testBroker();
const kafka = kafkaClient(broker);
const cells = [0, 1].map((index) => ({ index, count: 2 }));
const [first, second] = cells as [Cell, Cell];

/** Somebody whom the cell takes. */
function memberOf(cell: Cell): string {
  const place = { topic: '', partition: 0, offset: 0 };
  const names = Array.from({ length: 100 }, (_, number) => `m_${number}`);
  return names.find((memberId) => takes(cell, { program: 'coffee-club', memberId }, place)) ?? '';
}

describe('a cell', () => {
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

  it('regression: sets nothing of another cell aside, even when the database refuses the record at first', async () => {
    await queryOnce(
      database.ownerUrl,
      `
      CREATE SEQUENCE refusals;
      GRANT ALL ON SEQUENCE refusals TO PUBLIC;
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('refusals') <= 3 THEN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON kafka_offset FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await harness.send(topics.purchases, purchase('1', memberOf(second)));
    await harness.start({}, { settings: { cell: first } });
    await harness.hasCounted('other-cell', 1);
    expect(await harness.rows('SELECT last_value::int AS refusals FROM refusals')).toEqual([{ refusals: 4 }]);
    expect(await harness.countOf('quarantine')).toBe(0);
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
    }, 120_000);
  });
});
