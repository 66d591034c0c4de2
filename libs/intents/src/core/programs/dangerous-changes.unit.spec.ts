import type { ProgramsFile } from '#contracts';
import { parseProgramsFile } from '#contracts';

import type { ProgramFacts } from './dangerous-changes.js';
import { dangerousChanges, programsInDanger } from './dangerous-changes.js';

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

const nothing: ProgramFacts = {
  ...{ hasMembers: false, hasPasses: false, hasSales: false, hasGrants: false },
  ...{ openTypes: [], openRewards: [] },
};
const sale = 'loyalty.purchase.completed.v1';

const names = (before: ProgramsFile, after: ProgramsFile, facts: Partial<ProgramFacts>): string[] =>
  dangerousChanges(before, after, () => ({ ...nothing, ...facts })).map(
    ({ name, isAcceptable }) => `${name}${isAcceptable ? '' : ' (never)'}`,
  );

const mapped = 'currency: EUR, purchases: { completed: { transactionTypeId: 31 } }';
const wider = 'purchaseKey: [storeId, purchaseId]';
const rewards = (text: string): string => `rewards: { ${text} }`;

describe('a change of the programs file is dangerous', () => {
  const tea = { tea: written({ programId: 3 }) };

  it.each<readonly [string, readonly [ProgramsFile, ProgramsFile], Partial<ProgramFacts>, string]>([
    ['a wider key', [club(), club(wider)], { hasSales: true }, 'club.purchaseKey'],
    ['a narrower key', [club(wider), club()], { hasSales: true }, 'club.purchaseKey'],
    ['another grant key', [club(), club('grantKey: [grantId, storeId]')], { hasGrants: true }, 'club.grantKey'],
    ['another program there', [club(), club('', { programId: 3 })], { hasPasses: true }, 'club.programId'],
    ['another brand', [club(), club('', { brandId: 3 })], { hasPasses: true }, 'club.brandId'],
    [
      'another id on the cards',
      [club(), club('uniqueIdKey: customerId')],
      { hasPasses: true },
      'club.uniqueIdKey (never)',
    ],
    [
      'another currency',
      [club(mapped), club(mapped.replace('EUR', 'CHF'))],
      { hasSales: true },
      'club.currency (never)',
    ],
    ['a removed program', [fileOf({ club: written(), ...tea }), fileOf(tea)], { hasMembers: true }, 'club'],
    ['one at work', [fileOf({ club: written(), ...tea }), fileOf(tea)], { openTypes: [sale] }, 'club (never)'],
    ['a renamed one', [club(), fileOf({ 'club-plus': written() })], { hasMembers: true }, 'club (never)'],
    [
      'a removed reward that is owed',
      [club(rewards('coffee: 9001, cake: 9002')), club(rewards('cake: 9002'))],
      { openRewards: ['9001'] },
      'club.rewards.coffee',
    ],
    ['one that may be owed', [club(rewards('coffee: 9001')), club()], { openRewards: null }, 'club.rewards.coffee'],
    [
      'another rule of what is given once',
      [
        club(rewards('coffee: { id: 9001, once: attributes.a }')),
        club(rewards('coffee: { id: 9001, once: attributes.b }')),
      ],
      { hasGrants: true },
      'club.rewards.coffee.once',
    ],
    ['a mapping in use', [club(mapped), club()], { openTypes: [sale] }, 'club.purchases.completed'],
  ])('%s', (_what, [before, after], facts, expected) => {
    expect(names(before, after, facts)).toEqual([expected]);
    expect(programsInDanger(before, after)).toEqual(['club']);
  });

  it.each<[string, ProgramsFile, ProgramsFile, Partial<ProgramFacts>]>([
    ['a key where nothing was told', club(), club(wider), { hasMembers: true, hasGrants: true }],
    ['another place where nobody has a card', club(), club('', { programId: 3 }), { hasMembers: true }],
    ['a removed program without members', club(), fileOf({ tea: written({ programId: 3 }) }), {}],
    [
      'another name of a reward that is owed',
      club(rewards('coffee: 9001')),
      club(rewards('espresso: 9001')),
      { openRewards: ['9001'] },
    ],
    ['a removed reward that nobody is owed', club(rewards('coffee: 9001')), club(), { openRewards: ['9002'] }],
    ['a mapping that nothing open needs', club(mapped), club(), { openTypes: ['loyalty.member.enrolled.v1'] }],
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
    expect(programsInDanger(before, after)).toEqual([]);
  });
});

describe('a dangerous change', () => {
  it('says in one sentence what would happen, and what to do', () => {
    const facts = { ...nothing, hasSales: true };
    expect(dangerousChanges(club(), club(wider), () => facts).map(({ problem }) => problem)).toEqual([
      'programs.club.purchaseKey: it was purchaseId and becomes storeId + purchaseId, so that no number from before is ' +
        'recognised: a sale told again is sold twice, refunds and voids do not find their sales; keep purchaseId, or ' +
        'accept club.purchaseKey: the numbers from before are forgotten; do so when nothing of before is told any more',
    ]);
    const renamed = fileOf({ 'club-plus': written() });
    const [change] = dangerousChanges(club(), renamed, () => ({ ...facts, openTypes: [sale] }));
    expect(change?.problem).toMatch(/^programs\.club: it is gone, and club-plus, .*; keep the name$/);
  });

  it('is none where nothing is there', () => {
    expect(dangerousChanges(club(), club(wider), () => undefined)).toEqual([]);
  });
});
