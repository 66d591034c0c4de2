import { parseProgramsFile, PROGRAMS_FILE_EXAMPLE, type ProgramsFile } from '#contracts';
import { sampleEvent, routeSourceEvent } from '#events';

const granted = 'loyalty.reward.granted.v1';
const revoked = 'loyalty.reward.revoked.v1';
const reference = { brandId: '101', programId: '2001', uniqueId: 'm_81273', uniqueIdKey: 'memberId' };
const grantKey = { scope: 'grant', parts: ['g_771'], perGeneration: false };

function programs(...exchanges: readonly [string | RegExp, string][]): ProgramsFile {
  const parsed = parseProgramsFile(
    exchanges.reduce((text, [from, to]) => text.replace(from, to), PROGRAMS_FILE_EXAMPLE),
  );
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  return parsed.value;
}

const given = programs();
const until = { validUntil: '2030-12-24T22:59:59.000Z' };

describe('a grant', () => {
  it('applies the reward of that name', () => {
    expect(routeSourceEvent(sampleEvent(granted), given)).toEqual({
      kind: 'routed',
      cancels: [],
      intents: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          operation: 'reward',
          command: { ...reference, operation: 'reward', rewardId: '9001', pointsDelta: -10, ...until },
          businessKey: grantKey,
          businessContent: expect.stringContaining('"free-coffee"') as string,
          waitsFor: { scope: 'purchase', parts: ['B07-118834'], perGeneration: false },
          parked: null,
          facts: { purchaseId: 'B07-118834', ...until },
        },
      ],
    });
  });

  it('may come without a purchase, without known points, and for ever', () => {
    const short = programs([/rewards:.*/, 'rewards: { free-coffee: "9001" }']);
    const route = routeSourceEvent(sampleEvent(granted, { data: { purchaseId: null, validUntil: null } }), short);
    const intent = route.kind === 'routed' ? route.intents[0] : undefined;
    expect(intent).toMatchObject({ facts: {}, waitsFor: null });
    expect(intent?.command).toEqual({ ...reference, operation: 'reward', rewardId: '9001' });
  });

  it.each(['2026-12-24T18:00:00+01:00', '2026-12-24T17:00:00Z'])('says until when it is good: %s', (validUntil) => {
    const told = routeSourceEvent(sampleEvent(granted, { data: { validUntil } }), given);
    const utc = { validUntil: '2026-12-24T17:00:00.000Z' };
    expect(told).toMatchObject({ intents: [{ command: utc, facts: utc }] });
  });

  it.each([undefined, null, ''])('is good for ever where it says %j', (validUntil) => {
    const told = routeSourceEvent(sampleEvent(granted, { data: { validUntil } }), given);
    expect(JSON.stringify(told.kind === 'routed' && told.intents[0]?.command)).not.toContain('validUntil');
  });

  it.each(['free-tea', 'toString'])('of the unknown reward %s is unroutable', (reward) => {
    expect(routeSourceEvent(sampleEvent(granted, { data: { reward } }), given)).toEqual({
      kind: 'quarantine',
      reason: 'unroutable',
      detail: "data.reward: not one of the program's rewards",
    });
  });

  it('has its own number as its key, however wide that of purchases is', () => {
    const wide = programs(
      ['purchaseKey: [purchaseId]', 'purchaseKey: [storeId, purchaseId]'],
      ['receipt: purchaseId', 'receipt: { join: [storeId, purchaseId] }'],
      ['receipt: refundId', 'receipt: { join: [storeId, refundId] }'],
    );
    const keyOf = (data: Record<string, unknown>, file = wide): unknown => {
      const route = routeSourceEvent(sampleEvent(granted, { data }), file);
      return route.kind === 'routed' ? route.intents[0]?.businessKey : route;
    };
    const bare = { scope: 'grant', parts: ['g_771'], perGeneration: false };
    for (const file of [wide, given]) expect(keyOf({ storeId: 's' }, file)).toEqual(bare);
    const told = programs(['refundUnknown: park', 'grantKey: [storeId, grantId]\n    refundUnknown: park']);
    expect(keyOf({ storeId: 's' }, told)).toEqual({ ...bare, parts: ['s', 'g_771'] });
    expect(keyOf({}, told)).toEqual({
      kind: 'quarantine',
      reason: 'invalid',
      detail: 'data.storeId: required by grantKey',
    });
  });
});

describe('a revocation', () => {
  it('cancels its grant; too late, a person must look', () => {
    expect(routeSourceEvent(sampleEvent(revoked), given)).toMatchObject({
      kind: 'routed',
      intents: [],
      cancels: [
        {
          program: 'coffee-club',
          memberId: 'm_81273',
          target: grantKey,
          reason: 'revoked',
          ifTooLate: {
            operation: 'reward',
            command: null,
            parked: { reason: 'unroutable' },
            businessKey: { scope: 'revocation', parts: ['g_771'] },
          },
        },
      ],
    });
  });

  it('applies a counter-reward where mapped and too late', () => {
    const mapped = programs(['revoked: { via: none }', 'revoked: { id: 9003, pointsDelta: 10 }']);
    expect(routeSourceEvent(sampleEvent(revoked), mapped)).toMatchObject({
      cancels: [{ ifTooLate: { command: { operation: 'reward', rewardId: '9003', pointsDelta: 10 }, parked: null } }],
    });
  });
});

describe('what cannot be seen, in what a grant is known by', () => {
  const once = programs([
    'free-coffee: { id: "9001", pointsDelta: -10 }',
    'free-coffee: { id: "9001", once: attributes.campaign }',
  ]);
  const wide = programs(['revoked: ', 'grantKey: [grantId, attributes.card]\n    revoked: ']);

  it.each([
    ['campaign', once],
    ['card', wide],
  ])('of %s is refused with its code point', (name, file) => {
    const attributes = { [name]: 'autumn\u200b' };
    expect(routeSourceEvent(sampleEvent(granted, { data: { attributes } }), file)).toEqual({
      ...{ kind: 'quarantine', reason: 'invalid' },
      detail: `data.attributes.${name}: has U+200B, which cannot be seen`,
    });
  });
});
