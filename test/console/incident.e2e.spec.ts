import type { JobItemsPage } from '#contracts';
import { describeUnless } from '#test-support';

import { chromiumMissing } from './browser.js';
import { ConsoleFixture } from './console-fixture.js';
import type { ConsolePage } from './console-page.js';
import {
  causeIncident,
  incidentMemberCount,
  incidentPrograms,
  mendIncident,
  purchasesAtPartner,
} from './incident-steps.js';

const decisionsMax = 5;

describeUnless(chromiumMissing, 'an incident, by someone who only has the console', () => {
  let fixture: ConsoleFixture;
  let seat: ConsolePage;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open(incidentPrograms);
    await causeIncident(fixture);
    seat = await fixture.sit();
  });

  afterAll(async () => {
    await fixture.close();
  });

  it('is seen, tried, stopped by its canary, mended and drained, in few decisions', async () => {
    const { clicks, decisions, appliedWhenStopped } = await mendIncident(fixture, seat);
    process.stderr.write(`incident: ${clicks} clicks, ${decisions} of them decide\n`);
    expect(appliedWhenStopped).toBe(0);
    expect(decisions).toBeLessThanOrEqual(decisionsMax);
    const applied = await purchasesAtPartner(fixture);
    expect([applied.length, new Set(applied).size]).toEqual([incidentMemberCount - 1, incidentMemberCount - 1]);
    const id = new URL(seat.page.url()).pathname.split('/').at(-1) ?? '';
    const parked = (await fixture.api('viewer').get(`/jobs/${id}/items?state=parked`)).body as JobItemsPage;
    expect(parked.items).toHaveLength(1);
    expect(seat.takeFindings()).toEqual([]);
  });
});
