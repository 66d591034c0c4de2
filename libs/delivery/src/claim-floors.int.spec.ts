import { waitUntil } from '#embedded';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { fullLookMs } from './claim-floors.js';
import { DeliveryFixture } from './testing/delivery-fixture.js';
import { exampleProgram } from './testing/engine-harness.js';

let test: TestDatabase;
let house: DeliveryFixture;

beforeEach(async () => {
  test = await testDatabase();
  house = await DeliveryFixture.open(test.url);
});

afterEach(async () => {
  await house.close();
  await test.dispose();
});

it('a lane that is due long before what was claimed last is delivered by the next full look', async () => {
  await house.record({ program: 'p', members: 2 });
  const late = '(SELECT max(lane_id) FROM lane)';
  await house.sql(`UPDATE lane SET due_at = NULL WHERE lane_id = ${late}`);
  house.start({ p: exampleProgram() });
  await waitUntil(() => house.partner.calls.length === 1, { what: 'the first call', timeoutMs: 20_000 });
  await house.sql(`UPDATE lane SET due_at = '2020-01-01' WHERE lane_id = ${late}`);
  await waitUntil(() => house.partner.calls.length === 2, { what: 'the other call', timeoutMs: fullLookMs + 10_000 });
}, 60_000);
