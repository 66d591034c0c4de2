/** The two clubs of the embedded stack, by their names in events. */
export const directClub = 'coffee-club';
const workflowClub = 'book-club';

/** Where a club lies at the sandbox's partner (its default seed). */
export const clubs = {
  [directClub]: { brandId: '101', programId: '2001' },
  [workflowClub]: { brandId: '101', programId: '2002' },
} as const;

export type Club = keyof typeof clubs;

/** Our rewards and the sandbox's ids of them. */
export const rewards = { 'free-coffee': '9001', 'birthday-card': '9002' } as const;

export type Reward = keyof typeof rewards;

/** The partner's transaction types of the sandbox's default seed. */
export const transactionTypes = { purchase: '31', refund: '32' } as const;

/** What a stack may set differently from the programs file's defaults; milliseconds. */
export interface ProgramsProfile {
  readonly inFlightMs?: number;
  readonly missingPassWaitMs?: number;
}

const enrolments: Readonly<Record<Club, string>> = {
  [directClub]: '{ via: issue }',
  [workflowClub]: '{ via: workflow, workflowId: "77" }',
};

function clubText(club: Club, { inFlightMs, missingPassWaitMs }: ProgramsProfile): string {
  const { brandId, programId } = clubs[club];
  const { purchase, refund } = transactionTypes;
  return `  ${club}:
    brandId: "${brandId}"
    programId: "${programId}"
    currency: EUR
    uniqueIdKey: memberId
    enrolment: ${enrolments[club]}
    update: { via: workflow, workflowId: "78" }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    purchases:
      completed:
        transactionTypeId: "${purchase}"
        attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign }
        uniqueAttribute: receipt
        uniqueEnforced: true
      refunded:
        transactionTypeId: "${refund}"
        sign: -1
        attributes: { receipt: refundId, of: purchaseId }
        uniqueAttribute: receipt
        uniqueEnforced: true
      voided: { via: none }
    rewards:
      free-coffee: { id: "${rewards['free-coffee']}", pointsDelta: -10 }
      birthday-card: "${rewards['birthday-card']}"
    eventsMay: { erase: true, merge: true }
${missingPassWaitMs === undefined ? '' : `    missingPass: { waitMs: ${missingPassWaitMs} }\n`}${
    inFlightMs === undefined ? '' : `    inFlightMs: ${inFlightMs}\n`
  }`;
}

/** A programs file (contracts.md section 2) for the sandbox's default seed: one club issues directly, one by workflow. */
export function programsText(profile: ProgramsProfile): string {
  return `unknownProgram: quarantine\nprograms:\n${clubText(directClub, profile)}${clubText(workflowClub, profile)}`;
}
