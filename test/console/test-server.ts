import type { DoctorReport } from '#contracts';

import type { ConsolePage } from './console-page.js';

/** The Postgres of tests need not keep what it was told, which the examination rightly tells: here that is passed over. */
const ofTestServer = 'postgres.settings.';

export async function passOverTestServer({ page }: ConsolePage): Promise<void> {
  await page.route('**/api/v1/doctor', async (route) => {
    const response = await route.fetch();
    const report = (await response.json()) as DoctorReport;
    const checks = report.checks.filter(({ name }) => !name.startsWith(ofTestServer));
    await route.fulfill({ response, json: { ...report, checks } });
  });
}
