import type { SpokenPartner } from '../contract/spoken-partners.js';
import { spokenPartners } from '../contract/spoken-partners.js';
import type { Harness } from './harness.js';
import { openHarness, programsFile } from './harness.js';
import { judgeHarness } from './judge-run.js';
import { breakPartner } from './partner.js';
import { awaitRest, readIntentStatuses } from './store.js';
import type { Emission } from './traffic.js';
import { emission, enrolled, granted, produce, purchased, refunded } from './traffic.js';

const membersPerPartner = 50;
/** Enrolment, update, five purchases, two returns, a reward. */
const eventsPerMember = 10;

/** Ids that no float holds: the partner's are numbers. */
const memberIdOf = (index: number): string => `90071992547409931${String(index).padStart(2, '0')}`;

function updated(memberId: string): Emission {
  return emission('members', 'member.updated', {
    id: `u-${memberId}`,
    memberId,
    changed: ['tier', 'message'],
    tier: 'gold',
    message: 'Welcome to gold',
  });
}

function eventsOf(memberId: string): Emission[] {
  const purchases = [1, 2, 3, 4, 5].map((number) => purchased(memberId, `${memberId}-${number}`));
  const returns = [1, 2].map((number) => refunded(memberId, `${memberId}-${number}`, `${memberId}-r${number}`));
  return [enrolled(memberId), updated(memberId), ...purchases, ...returns, granted(memberId, `${memberId}-g`)];
}

const transactionTypes = [
  { id: 31, name: 'purchase', attributes: [{ name: 'store' }, { name: 'receipt', unique: true }] },
  { id: 32, name: 'refund', attributes: [{ name: 'receipt', unique: true }, { name: 'of' }] },
];

/** The partner of the specification's rows, whose calls name passes in one way alone, and whose member ids are numbers. */
function seedOf(partner: SpokenPartner): object {
  const { reward, transaction } = partner.dialect as Record<string, { readonly identifyBy: string } | undefined>;
  return {
    wording: partner.seed.wording,
    spelling: {
      ...partner.seed.spelling,
      rewardBy: reward?.identifyBy ?? 'unique_id',
      transactionBy: transaction?.identifyBy ?? 'unique_id',
    },
    brands: [
      {
        id: 101,
        uniqueIdentifier: 'metaData.memberId',
        brandAttributes: [{ id: 501, name: 'memberId', dataType: 'number' }],
        programs: [
          {
            id: 2001,
            templates: [11],
            tiers: [1, 2],
            workflows: [{ id: 78, does: 'update' }],
            transactionTypes,
            rewards: [{ id: 9001, points: -10 }],
          },
        ],
      },
    ],
  };
}

function dialectOf(partner: SpokenPartner): object {
  const { brandAttribute } = partner.dialect;
  return { ...partner.dialect, brandAttribute: { ...(brandAttribute as object), numbers: ['memberId'] } };
}

/** One of them takes updates as schedules. */
const programsOf = ({ name }: SpokenPartner): string =>
  name === 'south'
    ? programsFile.replace(
        /update: \{.*/,
        'update: { via: schedule }\n    dialect: { schedule: { changeAt: top-level } }',
      )
    : programsFile;

/** Of the plain one are all other specs. */
const others = spokenPartners.filter(({ name }) => name !== 'plain');

describe.each(others.map((partner) => [partner.name, partner] as const))('a partner %s', (_name, partner) => {
  let harness: Harness;
  const programs = programsOf(partner);

  beforeAll(async () => {
    harness = await openHarness(programs, { seed: seedOf(partner), dialect: dialectOf(partner) });
    await harness.startDaemon();
  });

  afterAll(async () => {
    await harness.close();
  });

  it('has what 500 events say, each once, in order, though some answers never come', async () => {
    const rules = [
      { operation: 'issue', kind: 'drop-after', probability: 0.1 },
      { operation: 'transaction', kind: 'drop-after', probability: 0.05 },
    ];
    await breakPartner(harness.sandboxUrl, rules, 18);
    const members = Array.from({ length: membersPerPartner }, (_, index) => memberIdOf(index));
    const emissions = members.flatMap(eventsOf);
    expect(emissions).toHaveLength(500);
    await produce(harness.broker, harness.topics, emissions);
    await awaitRest(harness.database.url, members.length * eventsPerMember);
    const statuses = await readIntentStatuses(harness.database.url);
    const delivered = ['AttemptApplied', 'VerifiedApplied'];
    expect(statuses.filter(({ lastEvent }) => !delivered.includes(lastEvent ?? ''))).toEqual([]);
    const found = statuses.filter(({ lastEvent }) => lastEvent === 'VerifiedApplied').length;
    expect(found).toBeGreaterThan(5);
    const { violations, retailer } = await judgeHarness(harness, { programs });
    expect({ violations, findings: retailer.first }).toEqual({ violations: [], findings: [] });
  });
});
