import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';

import type { ProgramFact } from './dangerous-changes.js';
import { dangerousChanges, factsAsked } from './dangerous-changes.js';

interface Written {
  readonly brandId?: number;
  readonly programId?: number;
  readonly more?: string;
}

const written = ({ brandId = 1, programId = 2, more = '' }: Written = {}): string =>
  `{ brandId: ${brandId}, programId: ${programId}${more === '' ? '' : `, ${more}`} }`;

function fileOf(programs: Readonly<Record<string, string>>): ProgramsFile {
  const text = Object.entries(programs).map(([name, program]) => `${name}: ${program}`);
  const result = parseProgramsFile(`programs: { ${text.join(', ')} }`);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.value;
}

const club = (more = '', ids: Written = {}): ProgramsFile => fileOf({ club: written({ ...ids, more }) });

const sale = 'loyalty.purchase.completed.v1';
const workOf = (eventType: string): ProgramFact => ({ kind: 'work-of', eventType });
const owed = (rewardId: string): ProgramFact => ({ kind: 'reward-owed', rewardId });
const [members, cards, sales, grants, work] = (['members', 'cards', 'sales', 'grants', 'work'] as const).map(
  (kind): ProgramFact => ({ kind }),
) as [ProgramFact, ProgramFact, ProgramFact, ProgramFact, ProgramFact];

const among =
  (facts: readonly ProgramFact[]) =>
  (_program: string, fact: ProgramFact): boolean =>
    facts.some((each) => JSON.stringify(each) === JSON.stringify(fact));

const names = (before: ProgramsFile, after: ProgramsFile, facts: readonly ProgramFact[]): string[] =>
  dangerousChanges(before, after, among(facts)).map(
    ({ name, isAcceptable }) => `${name}${isAcceptable ? '' : ' (never)'}`,
  );

/** Each once, by its kind. */
const asked = (before: ProgramsFile, after: ProgramsFile): string[] => [
  ...new Set(factsAsked(before, after).map(({ program, fact }) => `${program} ${fact.kind}`)),
];

const mapped = 'currency: EUR, purchases: { completed: { transactionTypeId: 31 } }';
const wider = 'purchaseKey: [storeId, purchaseId]';
const rewards = (text: string): string => `rewards: { ${text} }`;

describe('a change of the programs file is dangerous', () => {
  const tea = { tea: written({ programId: 3 }) };

  it.each<readonly [string, readonly [ProgramsFile, ProgramsFile], readonly ProgramFact[], string]>([
    ['a wider key', [club(), club(wider)], [sales], 'club.purchaseKey'],
    ['a narrower key', [club(wider), club()], [sales], 'club.purchaseKey'],
    ['another grant key', [club(), club('grantKey: [grantId, storeId]')], [grants], 'club.grantKey'],
    ['another program there', [club(), club('', { programId: 3 })], [cards], 'club.programId'],
    ['another brand', [club(), club('', { brandId: 3 })], [cards], 'club.brandId'],
    ['another id on the cards', [club(), club('uniqueIdKey: customerId')], [cards], 'club.uniqueIdKey (never)'],
    ['another currency', [club(mapped), club(mapped.replace('EUR', 'CHF'))], [sales], 'club.currency (never)'],
    ['a removed program', [fileOf({ club: written(), ...tea }), fileOf(tea)], [members], 'club'],
    ['one at work', [fileOf({ club: written(), ...tea }), fileOf(tea)], [work], 'club (never)'],
    ['a renamed one', [club(), fileOf({ 'club-plus': written() })], [members], 'club (never)'],
    [
      'a removed reward that is owed',
      [club(rewards('coffee: 9001, cake: 9002')), club(rewards('cake: 9002'))],
      [owed('9001')],
      'club.rewards.coffee',
    ],
    [
      'another rule of what is given once',
      [
        club(rewards('coffee: { id: 9001, once: attributes.a }')),
        club(rewards('coffee: { id: 9001, once: attributes.b }')),
      ],
      [grants],
      'club.rewards.coffee.once',
    ],
    ['a mapping in use', [club(mapped), club()], [workOf(sale)], 'club.purchases.completed'],
  ])('%s', (_what, [before, after], facts, expected) => {
    expect(names(before, after, facts)).toEqual([expected]);
    expect(asked(before, after)).toContain(`club ${facts[0]?.kind}`);
  });

  it.each<[string, ProgramsFile, ProgramsFile, readonly ProgramFact[]]>([
    ['a key where nothing was told', club(), club(wider), [members, grants]],
    ['another place where nobody has a card', club(), club('', { programId: 3 }), [members]],
    ['a removed program without members', club(), fileOf({ tea: written({ programId: 3 }) }), []],
    [
      'another name of a reward that is owed',
      club(rewards('coffee: 9001')),
      club(rewards('espresso: 9001')),
      [owed('9001')],
    ],
    ['a removed reward that nobody is owed', club(rewards('coffee: 9001')), club(), [owed('9002')]],
    ['a mapping that nothing open needs', club(mapped), club(), [workOf('loyalty.member.enrolled.v1')]],
  ])('not %s', (_what, before, after, facts) => {
    expect(names(before, after, facts)).toEqual([]);
  });

  it.each<[string, ProgramsFile, ProgramsFile]>([
    ['a new program', club(), fileOf({ club: written(), tea: written({ programId: 3 }) })],
    ['a new name beside the old one', club(), fileOf({ club: written(), tea: written() })],
    ['a new tier', club('tiers: { basic: 1 }'), club('tiers: { basic: 1, gold: 2 }')],
    ['a new reward', club(), club(rewards('coffee: 9001'))],
    [
      'a rule of what is given once',
      club(rewards('coffee: 9001')),
      club(rewards('coffee: { id: 9001, once: attributes.a }')),
    ],
    ['another template', club(), club('templateId: 12')],
    ['limits', club(), club('limits: { requestsPerSecond: 5 }')],
    ['another transaction type', club(mapped), club(mapped.replace('31', '32'))],
  ])('never: %s', (_what, before, after) => {
    expect(factsAsked(before, after)).toEqual([]);
  });
});

describe('a dangerous change', () => {
  it('says in one sentence what would happen, and what to do', () => {
    expect(dangerousChanges(club(), club(wider), among([sales])).map(({ problem }) => problem)).toEqual([
      'programs.club.purchaseKey: it was purchaseId and becomes storeId + purchaseId, so that no number from before is ' +
        'recognised: a sale told again is sold twice, refunds and voids do not find their sales; keep purchaseId, or ' +
        'accept club.purchaseKey: the numbers from before are forgotten; do so when nothing of before is told any more',
    ]);
    const renamed = fileOf({ 'club-plus': written() });
    const [change] = dangerousChanges(club(), renamed, among([sales, work]));
    expect(change?.problem).toMatch(/^programs\.club: it is gone, and club-plus, .*; keep the name$/);
  });

  it('asks of the store just what its rule asks', () => {
    const both = club(`${mapped}, ${rewards('coffee: 9001, cake: 9002')}`);
    expect(asked(both, club(wider))).toEqual(['club sales', 'club reward-owed', 'club work-of']);
    expect(asked(club(), fileOf({ tea: written({ programId: 3 }) }))).toEqual([
      'club members',
      'club sales',
      'club work',
    ]);
  });
});
