/**
 * What happens in a shop, how often, and what goes wrong on the way to us. Each dial has a name; each user of the shop
 * has a profile below, and may turn single dials besides. A share is a probability, from 0 (never) to 1.
 */

/** How often things happen, relative to each other; 0: never. */
export interface Weights {
  /** Somebody new becomes a member. */
  readonly joins: number;
  readonly buys: number;
  /** A purchase is given back, in part. */
  readonly returns: number;
  /** A till takes a purchase back, most often the last one. */
  readonly voids: number;
  /** A reward is granted. */
  readonly earns: number;
  /** A grant is taken back. */
  readonly revokes: number;
  /** What is known of a member changes. */
  readonly changes: number;
  /** A member wants no messages, or no card in the wallet. */
  readonly optsOut: number;
  /** A member leaves the program. */
  readonly leaves: number;
  /** A member leaves and is to be erased. */
  readonly erases: number;
  /** Two members turn out to be one. */
  readonly merges: number;
  /** A till sends an event once more: same id, same content. */
  readonly repeats: number;
  /** A till that lost its outbox tells something once more, under another event id. */
  readonly retells: number;
  /** A till emits again what it told before, with the time of now, under the same event id or another. */
  readonly reemits: number;
  /** Other content under the id of an event, or under the number of a purchase. */
  readonly contradicts: number;
  /** A record that nobody can use. */
  readonly errs: number;
  /** A record without a value. */
  readonly empties: number;
  /** A purchase without a card. */
  readonly anonymous: number;
  /** Such a purchase is given back, with a card or without. */
  readonly returnsAnonymous: number;
  /** Somebody shows the receipt of such a purchase, which is told again as theirs. */
  readonly claims: number;
  /** A till takes a return back. */
  readonly voidsReturns: number;
  /** A second system tells of a return, under a number of its own. */
  readonly retellsReturns: number;
  /** At a market something is brought back and something else taken along: one record that tells of both. */
  readonly exchanges: number;
  /** A market's till writes what nobody can use, or what asks for nothing. */
  readonly errsAtMarkets: number;
}

/** What another system does at the partner, relative to each other; 0: never. */
export interface OtherWeights {
  /** It posts a sale of its own, with a number of its own. */
  readonly sells: number;
  /** It gives a reward of its own: points move. */
  readonly rewards: number;
  /** It issues a pass to somebody of whom we know nothing. */
  readonly issues: number;
  /** It changes what one of our members' passes shows. */
  readonly changes: number;
  /** A member opts out there: of messages, or of the card. */
  readonly optsOut: number;
}

/** What an update may change, together. */
export type Change = 'tier' | 'message' | 'pass.points' | 'metaData.note';

export interface Dials {
  readonly often: Weights;
  /** Things happen in turn, each as often as its weight says, so that a short run has all of them; else by chance. */
  readonly takesTurns: boolean;

  /** So many become members, in all programs alike, before anything else happens. */
  readonly membersFirst: number;
  /** Of more members the older ones come no more. Nobody new joins once `joins` is 0. */
  readonly membersMax: number;
  /** Share of what is done by the first few members, who come much more often than others. */
  readonly hotShare: number;
  /** Share of new members who do something before their enrolment is told. */
  readonly enrolsLate: number;
  readonly enrolsLateMsMax: number;
  /** Who has given an old card up buys and earns with it all the same. */
  readonly oldCards: number;
  /** Share of new members who never enrol. */
  readonly neverEnrols: number;
  /** Whether those who never enrol come again. */
  readonly strangersStay: boolean;
  /** Share of updates and opt-outs that may be of somebody whose enrolment is not told yet. */
  readonly changesUnenrolled: number;
  /** Share of those who left who enrol again: with another tier, a message, and other consent. */
  readonly comesBack: number;
  readonly comesBackMsMax: number;
  /** Whether those who left go on buying. */
  readonly buysAfterLeaving: boolean;
  /** Share of new members who give the e-mail address of somebody else: a household. */
  readonly households: number;
  readonly changes: readonly (readonly Change[])[];

  /** Share of events that are sent after later ones: they keep the time at which they happened. */
  readonly late: number;
  readonly lateMsMax: number;
  /** Share of what is told about members that comes from a second producer, the web shop, with numbers of its own. */
  readonly webShop: number;
  /** Share of what is told about members that carries its producer's number (`sequence`). */
  readonly numbered: number;
  /** Share of tills and web shops whose clock is wrong: an hour ahead, or hours behind. */
  readonly wrongClocks: number;
  /** Share of event types with a reverse-DNS prefix. */
  readonly prefixed: number;
  /** So many of the first records come again when everything is over, as they were: from tills that were off for a day. */
  readonly againAtTheEnd: number;

  /** Share of returns and voids that are rung up in another shop. */
  readonly elsewhere: number;
  /** Share of those that name the original purchase. */
  readonly namesOriginal: number;
  /** Share of voids that are sent before their purchase. */
  readonly voidsFirst: number;
  /** Share of voids with another total than their purchase's. */
  readonly voidsDisagree: number;
  /** Share of purchases whose total is corrected some time later, of these again as many. */
  readonly corrected: number;
  /** Whether a voided purchase may be returned all the same. */
  readonly returnsVoided: boolean;
  /** Share of purchases that are sent in a wrong form first, lie in quarantine, and are sent again as they should be. */
  readonly wrongFormFirst: number;
  /** Share of those whose void passes while they lie there. */
  readonly voidedMeanwhile: number;
  /** Share of members who shop at markets, whose tills write receipts in a form of their own. */
  readonly markets: number;
  /** Share of purchases in a shop that the partner does not know. */
  readonly closedStore: number;
  /** Share of what is given once for a campaign that is good until some time later. */
  readonly expires: number;

  /** Share of records beside which another system does something at the partner: it posts there as we do. */
  readonly others: number;
  readonly othersDo: OtherWeights;
  /** Share of purchases whose number another system takes at the partner before we can post them. */
  readonly othersTakeReceipts: number;
}

/** A program of the shop, as its programs file has it. */
export interface ShopProgram {
  readonly name: string;
  /** How many of the new members are of it, relative to other programs. */
  readonly share: number;
  /** Names of rewards; the first one is granted more often. */
  readonly rewards: readonly string[];
  /**
   * Receipts restart in each store: 118 in Berlin is not 118 in Paris. Only where `purchaseKey` is `[storeId,
   * purchaseId]`; else numbers are unique.
   */
  readonly restartsReceipts: boolean;
  /**
   * Of its rewards the one that each member gets once for a campaign (`campaignId`), and that is good for a time only; left out: there
   * is none.
   */
  readonly once?: string;
}

const never: Weights = {
  joins: 0,
  buys: 0,
  returns: 0,
  voids: 0,
  earns: 0,
  revokes: 0,
  changes: 0,
  optsOut: 0,
  leaves: 0,
  erases: 0,
  merges: 0,
  repeats: 0,
  retells: 0,
  reemits: 0,
  contradicts: 0,
  errs: 0,
  empties: 0,
  anonymous: 0,
  returnsAnonymous: 0,
  claims: 0,
  voidsReturns: 0,
  retellsReturns: 0,
  exchanges: 0,
  errsAtMarkets: 0,
};

const othersDo: OtherWeights = { sells: 4, rewards: 2, issues: 2, changes: 2, optsOut: 1 };

/** A shop in which nothing goes wrong, and of which the profiles tell what is otherwise. */
export const plainDials: Dials = {
  often: never,
  takesTurns: false,
  membersFirst: 1,
  membersMax: 4_000,
  hotShare: 0,
  enrolsLate: 0,
  enrolsLateMsMax: 0,
  neverEnrols: 0,
  oldCards: 0,
  strangersStay: false,
  changesUnenrolled: 0,
  comesBack: 0,
  comesBackMsMax: 0,
  buysAfterLeaving: false,
  households: 0,
  changes: [['tier']],
  late: 0,
  lateMsMax: 0,
  webShop: 0,
  numbered: 0,
  wrongClocks: 0,
  prefixed: 0,
  againAtTheEnd: 0,
  elsewhere: 0,
  namesOriginal: 0,
  voidsFirst: 0,
  voidsDisagree: 0,
  corrected: 0,
  returnsVoided: false,
  wrongFormFirst: 0,
  voidedMeanwhile: 0,
  markets: 0,
  closedStore: 0,
  expires: 0,
  others: 0,
  othersDo,
  othersTakeReceipts: 0,
};

/** The chaos drill and the soak: many members, most of them well behaved, for as long as it takes. */
export const drillDials: Dials = {
  ...plainDials,
  often: {
    ...never,
    joins: 85,
    buys: 560,
    returns: 75,
    voids: 18,
    earns: 95,
    revokes: 12,
    changes: 60,
    optsOut: 8,
    leaves: 4,
    repeats: 35,
    retells: 18,
    reemits: 8,
    contradicts: 4,
    errs: 12,
    anonymous: 12,
    returnsAnonymous: 8,
    claims: 4,
    voidsReturns: 8,
    retellsReturns: 8,
  },
  membersFirst: 200,
  hotShare: 0.04,
  enrolsLate: 0.06,
  enrolsLateMsMax: 4_000,
  neverEnrols: 0.008,
  strangersStay: true,
  comesBack: 0.6,
  comesBackMsMax: 8_000,
  households: 0.1,
  changes: [['tier'], ['message'], ['tier', 'message'], ['metaData.note']],
  late: 0.01,
  lateMsMax: 4_000,
  webShop: 0.3,
  numbered: 0.5,
  wrongClocks: 0.2,
  againAtTheEnd: 300,
  elsewhere: 0.15,
  namesOriginal: 0.95,
  voidsFirst: 0.15,
  voidsDisagree: 0.05,
  corrected: 0.01,
  wrongFormFirst: 0.01,
  voidedMeanwhile: 0.4,
  others: 0.05,
  othersTakeReceipts: 0.002,
};

/** The demo: everything once at least within 200 records, and an end for each of them that can be told beforehand. */
export const demoDials: Dials = {
  ...plainDials,
  often: {
    ...never,
    joins: 18,
    buys: 34,
    returns: 7,
    voids: 3,
    earns: 11,
    changes: 9,
    optsOut: 2,
    repeats: 2,
    retells: 2,
    reemits: 1,
    contradicts: 2,
    errs: 7,
    empties: 1,
    anonymous: 1,
  },
  takesTurns: true,
  membersMax: 400,
  enrolsLate: 0.1,
  enrolsLateMsMax: 250,
  neverEnrols: 0.12,
  households: 0.1,
  changes: [['tier', 'pass.points']],
  lateMsMax: 250,
  webShop: 0.3,
  numbered: 0.5,
  prefixed: 0.1,
  elsewhere: 0.3,
  namesOriginal: 0.5,
  voidsFirst: 0.4,
  wrongFormFirst: 0.03,
  voidedMeanwhile: 0.5,
  others: 0.1,
};

/** Worlds in virtual time: few members, and much that goes wrong with each. @param spanMs how long there is traffic */
export function simulationDials(spanMs: number): Dials {
  return {
    ...plainDials,
    often: {
      ...never,
      buys: 40,
      returns: 9,
      voids: 6,
      earns: 16,
      revokes: 4,
      changes: 9,
      optsOut: 1,
      leaves: 3,
      erases: 1,
      merges: 1,
      repeats: 5,
      retells: 2,
      reemits: 2,
      contradicts: 1,
      errs: 3,
      empties: 1,
      anonymous: 2,
      returnsAnonymous: 2,
      claims: 1,
      voidsReturns: 2,
      retellsReturns: 2,
    },
    enrolsLate: 0.6,
    enrolsLateMsMax: spanMs,
    neverEnrols: 0.15,
    oldCards: 0.5,
    strangersStay: true,
    changesUnenrolled: 1,
    comesBack: 0.6,
    comesBackMsMax: spanMs / 2,
    buysAfterLeaving: true,
    households: 0.2,
    changes: [['tier', 'message'], ['tier'], ['message'], ['metaData.note'], ['message', 'metaData.note']],
    late: 0.5,
    lateMsMax: spanMs,
    webShop: 0.4,
    numbered: 0.5,
    wrongClocks: 0.15,
    elsewhere: 0.3,
    namesOriginal: 0.5,
    voidsFirst: 0.3,
    voidsDisagree: 0.1,
    corrected: 0.05,
    returnsVoided: true,
    wrongFormFirst: 0.05,
    voidedMeanwhile: 0.5,
    closedStore: 0.04,
    expires: 0.4,
    others: 0.15,
    othersTakeReceipts: 0.03,
  };
}
