import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { breakPartner, readLedger } from './partner.js';
import { awaitRest, readIntentStatuses } from './store.js';
import { enrolled, granted, produce, purchased, refunded, voided } from './traffic.js';

const onEmailBrand = programsFile
  .replace('brandId: "101"', 'brandId: "102"')
  .replace('programId: "2001"', 'programId: "2101"')
  .replace(/update: \{.*/, 'update: { via: none }');

/** The partner tells the cardholders apart by their e-mail addresses; `unique_id` is our member id all the same. */
describe.each([
  ['unique_id', onEmailBrand],
  ['email', `${onEmailBrand}    lookup: { by: email }\n`],
])('a brand whose unique identifier is the e-mail address, looked up by %s', (_by, programs) => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness(programs);
    await harness.startDaemon();
  });

  afterAll(async () => {
    await harness.close();
  });

  const members = ['m-1', 'm-2', 'm-3'];

  it('has the purchases, returns and rewards of each member, also where the answer to an enrolment never came', async () => {
    const lost = { operation: 'issue', kind: 'drop-after', sequence: [1] };
    await breakPartner(harness.sandboxUrl, [lost]);
    const emissions = members.flatMap((member) => [
      enrolled(member),
      purchased(member, `${member}-a`),
      purchased(member, `${member}-b`),
      granted(member, `${member}-g`),
      refunded(member, `${member}-a`, `${member}-r`),
      voided(member, `${member}-c`),
    ]);
    await produce(harness.broker, harness.topics, emissions);
    await awaitRest(harness.database.url, members.length * 6);
    const statuses = await readIntentStatuses(harness.database.url);
    const applied = statuses.filter(({ lastEvent }) => lastEvent === 'AttemptApplied').length;
    const found = statuses.filter(({ lastEvent }) => lastEvent === 'VerifiedApplied').length;
    expect([applied, found]).toEqual([members.length * 5 - 1, 1]);
    const ledger = await readLedger(harness.sandboxUrl);
    const perMember = Map.groupBy(ledger, ({ uniqueId }) => uniqueId);
    expect([...perMember.keys()].sort()).toEqual(members);
    for (const own of perMember.values()) {
      expect(own.map(({ operation }) => operation).sort()).toEqual([
        'issue',
        'reward',
        'transaction',
        'transaction',
        'transaction',
      ]);
    }
    const { violations, retailer } = await judgeHarness(harness, { programs });
    expect({ violations, findings: retailer.first }).toEqual({ violations: [], findings: [] });
  });
});
