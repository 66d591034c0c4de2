import type { Program, ProgramsFile } from '#contracts';

/** What of one program stands in the store, as far as another programs file could harm it. */
export interface ProgramFacts {
  readonly hasMembers: boolean;
  readonly hasPasses: boolean;
  /** Sales, refunds or voids were told. */
  readonly hasSales: boolean;
  /** Rewards were granted. */
  readonly hasGrants: boolean;
  /** Types of the events of which something is still to be sent, or parked. */
  readonly openTypes: readonly string[];
  /** The partner's ids of the rewards that are still to be sent, or parked; null: not all could be read. */
  readonly openRewards: readonly string[] | null;
}

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
} as const;
const revokedType = 'loyalty.reward.revoked.v1';
const mappings = Object.keys(typeOfMapping) as (keyof typeof typeOfMapping)[];

/** Everything is there: what is not dangerous then is never. */
const worst: ProgramFacts = {
  ...{ hasMembers: true, hasPasses: true, hasSales: true, hasGrants: true, openRewards: null },
  openTypes: [...Object.values(typeOfMapping), revokedType],
};

interface Changed {
  readonly name: string;
  readonly before: Program;
  readonly after: Program;
  readonly facts: ProgramFacts;
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
  (setting: 'purchaseKey' | 'grantKey', has: 'hasSales' | 'hasGrants', told: string): Rule =>
  ({ before, after, facts }) => {
    const [old, now] = [keyText(before[setting]), keyText(after[setting])];
    if (old === now || !facts[has]) return [];
    return [
      {
        setting,
        what: `it was ${old} and becomes ${now}, so that no number from before is recognised: ${told}`,
        instead: `keep ${old}`,
        accepting: 'the numbers from before are forgotten; do so when nothing of before is told any more',
      },
    ];
  };

const changedPlace: Rule = ({ before, after, facts }) => {
  if (!facts.hasPasses) return [];
  return (['brandId', 'programId'] as const)
    .filter((setting) => before[setting] !== after[setting])
    .map((setting) => ({
      setting,
      what: `it was ${before[setting]} and becomes ${after[setting]}, while members have cards in the old one, which are none in the new one`,
      instead: `keep it`,
      accepting:
        'the cards count as gone, members get new ones as they enrol again or by a reconciliation with repair; what never left goes to the new one, what is in doubt stays with the old one',
      plan: 'new-cards' as const,
    }));
};

/** By another key no lookup finds the cards that are there. */
const changedIdKey: Rule = ({ before, after, facts }) =>
  before.uniqueIdKey === after.uniqueIdKey || !facts.hasPasses
    ? []
    : [
        {
          setting: 'uniqueIdKey',
          what: `it was ${before.uniqueIdKey} and becomes ${after.uniqueIdKey}, while members have cards that name them under the old one: no lookup would find these`,
          instead: 'keep it',
          accepting: null,
        },
      ];

const changedCurrency: Rule = ({ name, before, after, facts }) =>
  before.currency === after.currency || before.currency === null || !facts.hasSales
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
const removedReward: Rule = ({ before, after, facts: { openRewards } }) => {
  const kept = new Set(Object.values(after.rewards).map(({ id }) => id));
  const isLeftBehind = (id: string): boolean => !kept.has(id) && (openRewards?.includes(id) ?? true);
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
const changedOnce: Rule = ({ before, after, facts }) =>
  Object.entries(before.rewards).flatMap(([reward, { once: was }]) => {
    const once = Object.hasOwn(after.rewards, reward) ? after.rewards[reward]?.once : undefined;
    if (was === undefined || once === undefined || !facts.hasGrants) return [];
    const [old, now] = [was.join('.'), once.join('.')];
    if (old === now) return [];
    return [
      {
        setting: `rewards.${reward}.once`,
        what: `it was ${old} and becomes ${now}, so that what was given before is not recognised: each member may get it once more`,
        instead: `keep ${old}, or name another reward`,
        accepting: 'it is given once more',
      },
    ];
  });

const removedMapping: Rule = ({ before, after, facts: { openTypes } }) => {
  const isGone = (was: { via: string } | null, is: { via: string } | null): boolean =>
    was !== null && was.via !== 'none' && (is === null || is.via === 'none');
  const gone = mappings.filter(
    (mapping) =>
      isGone(before.purchases[mapping], after.purchases[mapping]) && openTypes.includes(typeOfMapping[mapping]),
  );
  const settings = gone.map((mapping) => `purchases.${mapping}`);
  if (isGone(before.revoked, after.revoked) && openTypes.includes(revokedType)) settings.push('revoked');
  return settings.map((setting) => ({
    setting,
    what: 'it is mapped to nothing any more, while some of it is to be sent or parked',
    instead: 'keep it until that is delivered or cancelled',
    accepting: asPlanned,
  }));
};

const rules: readonly Rule[] = [
  changedKey('purchaseKey', 'hasSales', 'a sale told again is sold twice, refunds and voids do not find their sales'),
  changedKey('grantKey', 'hasGrants', 'a grant told again is given twice, revocations do not find their grants'),
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
  readonly facts: ProgramFacts;
}

function removedProgram({ name, renamedTo, facts }: Removed): DangerousChange[] {
  const { hasMembers, hasSales, openTypes } = facts;
  if (!hasMembers && !hasSales && openTypes.length === 0) return [];
  if (renamedTo !== undefined) {
    const what = `it is gone, and ${renamedTo}, the same program of the partner, is new: under another name no member, sale or number of before is known, so that what is told again counts twice, and nobody sends what is open`;
    return [dangerousChange(name, '', { what, instead: 'keep the name', accepting: null })];
  }
  if (openTypes.length > 0) {
    const what = 'it is gone, while some of its work is to be sent or parked: nobody would send it';
    return [dangerousChange(name, '', { what, instead: 'keep it until that is settled', accepting: null })];
  }
  const what = 'it is gone, while it has members: what is told of them finds no program';
  const accepting = 'such records are set aside or ignored, as unknownProgram says';
  return [dangerousChange(name, '', { what, instead: 'keep it', accepting })];
}

/**
 * What in a programs file would do harm in place of the one in force, by what is there. Pure.
 * @param factsOf of a program of the file in force; undefined: nothing of it is there
 */
export function dangerousChanges(
  before: Pick<ProgramsFile, 'programs'>,
  after: Pick<ProgramsFile, 'programs'>,
  factsOf: (program: string) => ProgramFacts | undefined,
): DangerousChange[] {
  const isNew = ([name]: readonly [string, Program]): boolean => !Object.hasOwn(before.programs, name);
  return Object.entries(before.programs).flatMap(([name, was]) => {
    const facts = factsOf(name);
    if (facts === undefined) return [];
    const is = Object.hasOwn(after.programs, name) ? after.programs[name] : undefined;
    if (is === undefined) {
      const [renamedTo] = Object.entries(after.programs).find((each) => isNew(each) && samePlace(was, each[1])) ?? [];
      return removedProgram({ name, renamedTo, facts });
    }
    const changed = { name, before: was, after: is, facts };
    return rules.flatMap((rule) => rule(changed).map(({ setting, ...said }) => dangerousChange(name, setting, said)));
  });
}

/** The programs of which it must be known what is there. */
export function programsInDanger(
  before: Pick<ProgramsFile, 'programs'>,
  after: Pick<ProgramsFile, 'programs'>,
): string[] {
  return [...new Set(dangerousChanges(before, after, () => worst).map(({ program }) => program))];
}
