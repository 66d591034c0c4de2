import type { Program, ProgramsFile } from '#contracts';

/**
 * Something of a program that may be in the store, and that another programs file could harm. `sales`: sales, refunds or voids
 * were ever told; `grants`: rewards were ever granted; `work`: something is to be sent, in doubt or parked.
 */
export type ProgramFact =
  | { readonly kind: 'members' | 'cards' | 'sales' | 'grants' | 'work' }
  | { readonly kind: 'work-of'; readonly eventType: string }
  /** @param rewardId the partner's */
  | { readonly kind: 'reward-owed'; readonly rewardId: string };

/** Whether something is there. */
export type IsThere = (program: string, fact: ProgramFact) => boolean;

/** A change of the programs file by which something would go twice, or be stranded. */
export interface DangerousChange {
  readonly program: string;
  /** By which an admin accepts it, such as `club.purchaseKey`. */
  readonly name: string;
  /** One sentence: what would happen, and what to do. */
  readonly problem: string;
  /** False: this file is never taken over, and the sentence says how else to go about it. */
  readonly isAcceptable: boolean;
  /** What accepting it does to what is there; absent: nothing. */
  readonly plan?: 'new-cards';
}

const typeOfMapping = {
  completed: 'loyalty.purchase.completed.v1',
  refunded: 'loyalty.purchase.refunded.v1',
  voided: 'loyalty.purchase.voided.v1',
  refundVoided: 'loyalty.purchase.voided.v1',
  corrected: 'loyalty.purchase.corrected.v1',
} as const;
const revokedType = 'loyalty.reward.revoked.v1';
const mappings = Object.keys(typeOfMapping) as (keyof typeof typeOfMapping)[];

interface Changed {
  readonly name: string;
  readonly before: Program;
  readonly after: Program;
  readonly has: (fact: ProgramFact) => boolean;
}

/** What changed, and what to do about it; `accepting`: what accepting it does. Null: it cannot be accepted. */
interface Said extends Pick<DangerousChange, 'plan'> {
  readonly what: string;
  readonly instead: string;
  readonly accepting: string | null;
}

type Rule = (changed: Changed) => readonly (Said & { readonly setting: string })[];

function dangerousChange(program: string, setting: string, said: Said): DangerousChange {
  const { what, instead, accepting, plan } = said;
  const name = setting === '' ? program : `${program}.${setting}`;
  const way = accepting === null ? instead : `${instead}, or accept ${name}: ${accepting}`;
  const problem = `programs.${name}: ${what}; ${way}`;
  return { program, name, problem, isAcceptable: accepting !== null, ...(plan !== undefined && { plan }) };
}

function keyText(key: Program['purchaseKey']): string {
  return key.map((path) => path.join('.')).join(' + ');
}

/** As keys compare what stands in them, another order is another key. */
const changedKey =
  (setting: 'purchaseKey' | 'grantKey', kind: 'sales' | 'grants', told: string): Rule =>
  ({ before, after, has }) => {
    const [old, now] = [keyText(before[setting]), keyText(after[setting])];
    if (old === now || !has({ kind })) return [];
    return [
      {
        setting,
        what: `it was ${old} and becomes ${now}, so that no number from before is recognised: ${told}`,
        instead: `keep ${old}`,
        accepting: 'the numbers from before are forgotten; do so when nothing of before is told any more',
      },
    ];
  };

const changedPlace: Rule = ({ before, after, has }) =>
  (['brandId', 'programId'] as const)
    .filter((setting) => before[setting] !== after[setting] && has({ kind: 'cards' }))
    .map((setting) => ({
      setting,
      what: `it was ${before[setting]} and becomes ${after[setting]}, while members have cards in the old one, which are none in the new one`,
      instead: `keep it`,
      accepting:
        'the cards count as gone, members get new ones as they enrol again or by a reconciliation with repair; what never left goes to the new one, what is in doubt stays with the old one',
      plan: 'new-cards' as const,
    }));

/** By another key no lookup finds the cards that are there. */
const changedIdKey: Rule = ({ before, after, has }) =>
  before.uniqueIdKey === after.uniqueIdKey || !has({ kind: 'cards' })
    ? []
    : [
        {
          setting: 'uniqueIdKey',
          what: `it was ${before.uniqueIdKey} and becomes ${after.uniqueIdKey}, while members have cards that name them under the old one: no lookup would find these`,
          instead: 'keep it',
          accepting: null,
        },
      ];

const changedCurrency: Rule = ({ name, before, after, has }) =>
  before.currency === after.currency || before.currency === null || !has({ kind: 'sales' })
    ? []
    : [
        {
          setting: 'currency',
          what: `it was ${before.currency} and becomes ${after.currency ?? 'none'}, while there are receipts in the old one: their refunds and voids would be counted in another currency than they were paid in`,
          instead: `keep it, and add a program of another name beside ${name} for the new currency`,
          accepting: null,
        },
      ];

const asPlanned = 'what is open of it is sent as it was planned';

/** What is owed is known by the partner's id: where the new file has that under another name, nothing is left behind. */
const removedReward: Rule = ({ before, after, has }) => {
  const kept = new Set(Object.values(after.rewards).map(({ id }) => id));
  const isLeftBehind = (rewardId: string): boolean => !kept.has(rewardId) && has({ kind: 'reward-owed', rewardId });
  return Object.entries(before.rewards)
    .filter(([reward, { id }]) => !Object.hasOwn(after.rewards, reward) && isLeftBehind(id))
    .map(([reward]) => ({
      setting: `rewards.${reward}`,
      what: 'it is gone, while grants of it are to be sent or parked',
      instead: 'keep it until they are delivered or cancelled',
      accepting: asPlanned,
    }));
};

/** From nothing to something gives less than before, and back to nothing is what the file says. */
const changedOnce: Rule = ({ before, after, has }) =>
  Object.entries(before.rewards).flatMap(([reward, { once: was }]) => {
    const once = Object.hasOwn(after.rewards, reward) ? after.rewards[reward]?.once : undefined;
    const [old, now] = [was?.join('.'), once?.join('.')];
    if (old === undefined || now === undefined || old === now || !has({ kind: 'grants' })) return [];
    return [
      {
        setting: `rewards.${reward}.once`,
        what: `it was ${old} and becomes ${now}, so that what was given before is not recognised: each member may get it once more`,
        instead: `keep ${old}, or name another reward`,
        accepting: 'it is given once more',
      },
    ];
  });

const removedMapping: Rule = ({ before, after, has }) => {
  const isGone = (was: { via: string } | null, is: { via: string } | null, eventType: string): boolean =>
    was !== null && was.via !== 'none' && (is === null || is.via === 'none') && has({ kind: 'work-of', eventType });
  const settings = mappings
    .filter((mapping) => isGone(before.purchases[mapping], after.purchases[mapping], typeOfMapping[mapping]))
    .map((mapping) => `purchases.${mapping}`);
  if (isGone(before.revoked, after.revoked, revokedType)) settings.push('revoked');
  return settings.map((setting) => ({
    setting,
    what: 'it is mapped to nothing any more, while some of it is to be sent or parked',
    instead: 'keep it until that is delivered or cancelled',
    accepting: asPlanned,
  }));
};

const rules: readonly Rule[] = [
  changedKey('purchaseKey', 'sales', 'a sale told again is sold twice, refunds and voids do not find their sales'),
  changedKey('grantKey', 'grants', 'a grant told again is given twice, revocations do not find their grants'),
  changedPlace,
  changedIdKey,
  changedCurrency,
  removedReward,
  changedOnce,
  removedMapping,
];

function samePlace(one: Program, other: Program): boolean {
  return one.brandId === other.brandId && one.programId === other.programId;
}

interface Removed {
  readonly name: string;
  /** A program that is new in the same file, and the same one of the partner. */
  readonly renamedTo: string | undefined;
  readonly has: (fact: ProgramFact) => boolean;
}

function removedProgram({ name, renamedTo, has }: Removed): DangerousChange[] {
  const [hasMembers, hasSales, hasWork] = [has({ kind: 'members' }), has({ kind: 'sales' }), has({ kind: 'work' })];
  if (!hasMembers && !hasSales && !hasWork) return [];
  if (renamedTo !== undefined) {
    const what = `it is gone, and ${renamedTo}, the same program of the partner, is new: under another name no member, sale or number of before is known, so that what is told again counts twice, and nobody sends what is open`;
    return [dangerousChange(name, '', { what, instead: 'keep the name', accepting: null })];
  }
  if (hasWork) {
    const what = 'it is gone, while some of its work is to be sent or parked: nobody would send it';
    return [dangerousChange(name, '', { what, instead: 'keep it until that is settled', accepting: null })];
  }
  const what = 'it is gone, while it has members: what is told of them finds no program';
  const accepting = 'such records are set aside or ignored, as unknownProgram says';
  return [dangerousChange(name, '', { what, instead: 'keep it', accepting })];
}

/** What in a programs file would do harm in place of the one in force, by what is there. Pure. */
export function dangerousChanges(
  before: Pick<ProgramsFile, 'programs'>,
  after: Pick<ProgramsFile, 'programs'>,
  isThere: IsThere,
): DangerousChange[] {
  const isNew = ([name]: readonly [string, Program]): boolean => !Object.hasOwn(before.programs, name);
  return Object.entries(before.programs).flatMap(([name, was]) => {
    const has = (fact: ProgramFact): boolean => isThere(name, fact);
    const is = Object.hasOwn(after.programs, name) ? after.programs[name] : undefined;
    if (is === undefined) {
      const [renamedTo] = Object.entries(after.programs).find((each) => isNew(each) && samePlace(was, each[1])) ?? [];
      return removedProgram({ name, renamedTo, has });
    }
    const changed = { name, before: was, after: is, has };
    return rules.flatMap((rule) => rule(changed).map(({ setting, ...said }) => dangerousChange(name, setting, said)));
  });
}

/** A fact that has to be known. */
export interface AskedFact {
  readonly program: string;
  readonly fact: ProgramFact;
}

/** What has to be known to judge a file in place of the one in force; some of it more than once. */
export function factsAsked(before: Pick<ProgramsFile, 'programs'>, after: Pick<ProgramsFile, 'programs'>): AskedFact[] {
  const asked: AskedFact[] = [];
  dangerousChanges(before, after, (program, fact) => asked.push({ program, fact }) > 0);
  return asked;
}
