import { waitUntil } from '#embedded';
import { testDatabase } from '#test-support';
import type { TestDatabase } from '#test-support';

import { fullScanMs } from './claim-floors.js';
import { DeliveryFixture } from './testing/delivery-fixture.js';
import { exampleProgram } from './testing/engine-harness.js';

let test: TestDatabase;
let fixture: DeliveryFixture;

beforeEach(async () => {
  test = await testDatabase();
  fixture = await DeliveryFixture.open(test.url);
});

afterEach(async () => {
  await fixture.close();
  await test.dispose();
});

it('a lane that is due long before what was claimed last is delivered by the next full look', async () => {
  await fixture.record({ program: 'p', members: 2 });
  const late = '(SELECT max(lane_id) FROM lane)';
  await fixture.sql(`UPDATE lane SET due_at = NULL WHERE lane_id = ${late}`);
  fixture.start({ p: exampleProgram() });
  await waitUntil(() => fixture.partner.calls.length === 1, { what: 'the first call', timeoutMs: 60_000 });
  await fixture.sql(`UPDATE lane SET due_at = '2020-01-01' WHERE lane_id = ${late}`);
  await waitUntil(() => fixture.partner.calls.length === 2, { what: 'the other call', timeoutMs: fullScanMs + 10_000 });
});
