import { randomBytes } from 'node:crypto';

import { withAdmin } from '#kafka/testing';
import { kafkaClient, StandInRegistry } from '#test-support';

import type { DoctorFixture } from './testing/doctor-fixture.js';
import { openDoctorFixture } from './testing/doctor-fixture.js';

describe('the doctor, on sources,', () => {
  let fixture: DoctorFixture;

  beforeAll(async () => {
    fixture = await openDoctorFixture();
  });

  afterAll(() => fixture.close());

  it('looks at the topics of sources, whether they may be read, and at the schemas behind them', async () => {
    const registry = await StandInRegistry.start();
    const { purchases, members } = fixture.topics;
    const source = (topic: string): string =>
      `{ topics: ['${topic}'], format: avro, map: '[]', types: [loyalty.purchase.completed.v1], programs: [coffee-club] }`;
    await fixture.writePrograms(
      `${fixture.programsText}sources:\n  web: ${source(purchases)}\n  till: ${source(members)}\n  old: ${source('shop.nowhere')}\n`,
    );
    registry.schemas.push(
      { id: 1, guid: 'one', subject: `${purchases}-value`, version: 1, answer: { schema: '{"type":"string"}' } },
      { id: 2, guid: 'two', subject: `${members}-value`, version: 1, answer: { schema: '{"type":"nonsense"}' } },
    );
    const { check, named } = await fixture.examine({ SCHEMA_REGISTRY_URL: registry.url });
    expect(named('failed').toSorted()).toEqual(
      [`sources.registry.${members}`, 'sources.topics.shop.nowhere'].toSorted(),
    );
    expect(check(`sources.topics.${purchases}`)).toMatchObject({ state: 'ok' });
    expect(check(`sources.registry.${purchases}`)).toMatchObject({ state: 'ok' });
    expect(check('sources.registry.shop.nowhere')).toMatchObject({ state: 'skipped' });
    // An embedded broker knows no users.
    const told = fixture.broker.isReal ? ['ok', '2 topics'] : ['skipped', 'do not say'];
    expect(check('sources.rights')).toMatchObject({
      state: told[0],
      detail: expect.stringContaining(told[1] ?? '') as string,
    });
    registry.mood = 'forbidden';
    const away = await fixture.examine({ SCHEMA_REGISTRY_URL: registry.url });
    expect(away.check('kafka.registry')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('http-403') as string,
    });
    expect(away.check('sources.registry')).toMatchObject({
      state: 'skipped',
      detail: expect.stringContaining('kafka.registry') as string,
    });
    await registry.stop();
    await fixture.writePrograms(fixture.programsText);
  });

  it('judges what is kept, lost and forgotten of every topic that is read', async () => {
    const run = randomBytes(4).toString('hex');
    const [orders, till] = [`shop.orders.${run}`, `till.${run}.berlin`];
    const { groupId } = fixture.topics;
    const configEntries = [{ name: 'retention.ms', value: '3600000' }];
    await withAdmin(kafkaClient(fixture.broker), async (admin) => {
      await admin.createTopics({
        topics: [orders, till].map((topic) => ({ topic, numPartitions: 3, configEntries })),
      });
      await admin.setOffsets({ groupId, topic: till, partitions: [{ partition: 1, offset: '9' }] });
    });
    const source = (topic: string): string =>
      `{ topics: ['${topic}'], format: json, map: '[]', types: [loyalty.purchase.completed.v1], programs: [coffee-club] }`;
    await fixture.writePrograms(
      `${fixture.programsText}sources:\n  web: ${source(orders)}\n  till: ${source(`/^till\\.${run}\\..*$/`)}\n`,
    );
    await fixture.sql(`INSERT INTO kafka_offset (cluster_id, topic, incarnation, partition, next_offset)
      VALUES ('c', '${orders}', 1, 2, 40), ('c', '${till}', 1, 1, 3)`);
    const { check, report } = await fixture.examine();
    await fixture.sql('DELETE FROM kafka_offset');
    await fixture.writePrograms(fixture.programsText);
    // An embedded broker keeps everything, and has no settings.
    const kept = [orders, till].map((topic) =>
      fixture.broker.isReal ? `kafka.retention.${topic}` : 'kafka.retention',
    );
    expect(kept.map((name) => check(name).state)).toEqual(
      fixture.broker.isReal ? ['warning', 'warning'] : ['ok', 'ok'],
    );
    expect(check(`kafka.gap.${orders}/2`).state).toBe('warning');
    expect(check('kafka.forgotten')).toMatchObject({
      ...{ state: 'failed', detail: expect.stringContaining(`${till}/1 up to 9`) as string },
    });
    expect(check('kafka.lag').detail).toContain(`${orders} 0 behind`);
    // Each thing is said once.
    expect(new Set(report.checks.map(({ name }) => name)).size).toBe(report.checks.length);
  });

  it('regression: the door’s topics are judged as far as there are any', async () => {
    const { report } = await fixture.examine({
      ...{ LOYALTYD_ROLES: 'ingest,delivery,operations,door', KAFKA_TOPIC_MEMBERS: 'loyalty.nowhere' },
    });
    const judged = report.checks.filter(({ name }) => name.startsWith('kafka.door'));
    const { purchases, rewards } = fixture.topics;
    expect(judged.map(({ name }) => name)).toEqual([purchases, rewards].map((topic) => `kafka.door.${topic}`));
  });
});
