import { StandInRegistry } from '#test-support';

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
    expect(check('sources.rights')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('2 topics') as string,
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
});
