import type { Chance } from './chance.js';
import type { Dials, ShopProgram, Weights } from './dials.js';
import type { Sent } from './event.js';
import { eventsOf } from './event.js';
import { EventWriter } from './event-writer.js';
import { Market } from './market.js';
import { inWrongForm, Mistakes, Repeats } from './mistakes.js';
import type { Member, Purchase, Return } from './people.js';
import { Members, remember, rememberGrant } from './people.js';

interface ShopOptions {
  readonly chance: Chance;
  readonly dials: Dials;
  readonly programs: readonly ShopProgram[];
}

/** A record about to be sent. */
interface Draft {
  readonly sent: Sent;
  /** Of whom it tells something that later events change. */
  readonly member?: Member;
  /** What the shop knows once it is sent. */
  readonly then?: () => void;
}

interface Held {
  readonly dueAt: number;
  readonly make: () => Draft;
}

type Act = keyof Weights;

/** How near the end of the traffic is. */
export interface Ending {
  /** Soon: nobody does any more what leaves something waiting at last, as a purchase does of who never enrols. */
  readonly settles?: boolean;
  /** Now: nothing more is put off. */
  readonly holdsBack?: boolean;
}

/** So many things that cannot happen yet, or are put off, are tried before somebody just buys. */
const triesMax = 40;
/** At most so many records are put off by one act. */
export const heldPerActMax = 2;
const lastBoughtShare = 0.7;
const toldAgainShare = 0.3;
/** Purchases without a card that are remembered, to be given back or claimed. */
const anonymousMax = 20;

/**
 * What shops, tills and web shops send, mistakes included, decided by chance and dials alone: no clock, no randomness of
 * its own. Records come in the order in which they are sent; what is told late comes late.
 */
export class Shop {
  private readonly chance: Chance;
  /** Of its own: what is corrected changes nothing of what else happens. */
  private readonly corrections: Chance;
  private readonly dials: Dials;
  private readonly writer: EventWriter;
  private readonly members: Members;
  private readonly mistakes: Mistakes;
  private readonly repeats: Repeats;
  private readonly market: Market;
  private readonly held: Held[] = [];
  private readonly first: Sent[] = [];
  private readonly credits = new Map<Act, number>();
  private readonly anonymous: Bought[] = [];
  private settles = false;
  private holdsBack = true;

  constructor(options: ShopOptions) {
    const { chance, dials } = options;
    this.chance = chance.fork('shop');
    this.corrections = chance.fork('corrections');
    this.dials = dials;
    this.writer = new EventWriter({ chance: chance.fork('writer'), dials });
    this.members = new Members(chance.fork('members'), options);
    this.mistakes = new Mistakes(chance.fork('mistakes'), dials.takesTurns);
    this.repeats = new Repeats(chance.fork('repeats'));
    this.market = new Market(chance.fork('markets'), dials.markets);
  }

  /** How many records are put off, and must still come. */
  get heldBack(): number {
    return this.held.length;
  }

  /**
   * The record that is sent next.
   * @param now epoch ms; never less than before
   */
  next(now: number, { settles = false, holdsBack = true }: Ending = {}): Sent {
    this.writer.now = now;
    this.writer.namesAll = settles;
    this.settles = settles;
    this.holdsBack = holdsBack;
    const due = this.takeHeld(now);
    if (due !== null) return this.send(due);
    for (let tries = 0; tries < triesMax; tries += 1) {
      const draft = this.act(this.drawAct());
      if (draft !== null && !this.putsOff(draft)) return this.send(draft);
    }
    this.holdsBack = false;
    return this.send(this.buy(this.members.choose() ?? this.members.join(true)));
  }

  /** What was put off and is due first, whether or not it is; null when nothing is left. */
  nextHeld(now: number): Sent | null {
    this.writer.now = now;
    this.holdsBack = false;
    const draft = this.takeHeld(Infinity);
    return draft === null ? null : this.send(draft);
  }

  /** What comes again when everything is over: the same events, as they were told then. */
  again(): Sent[] {
    return this.first.map((sent) => ({ ...sent, part: 'duplicate', fate: 'open' }));
  }

  private send({ sent, then }: Draft): Sent {
    then?.();
    const told = this.market.told(sent);
    const isSound = eventsOf(told.content).length > 0 && told.part === null;
    if (isSound && this.first.length < this.dials.againAtTheEnd) this.first.push(told);
    this.repeats.remember(sent);
    return told;
  }

  private drawAct(): Act {
    if (this.members.count < this.dials.membersFirst) return 'joins';
    return this.dials.takesTurns ? this.actInTurn() : this.chance.weighted(this.dials.often);
  }

  /** Smooth weighted round robin: everything as often as its weight says, as evenly as can be. */
  private actInTurn(): Act {
    const entries = Object.entries(this.dials.often) as [Act, number][];
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [act, weight] of entries) this.credits.set(act, (this.credits.get(act) ?? 0) + weight);
    const act = entries.reduce<Act>((best, [name]) => (this.credit(name) > this.credit(best) ? name : best), 'joins');
    this.credits.set(act, this.credit(act) - total);
    return act;
  }

  private credit(act: Act): number {
    return this.credits.get(act) ?? 0;
  }

  /** Null: it cannot happen just now, or is put off. */
  private act(act: Act): Draft | null {
    return this.acts[act]();
  }

  private readonly acts: Readonly<Record<Act, () => Draft | null>> = {
    joins: () => this.join(),
    buys: () => this.ofSomebody((member) => this.buy(member)),
    returns: () => this.giveBack(),
    voids: () => this.takeBack(),
    earns: () => this.ofSomebody((member) => this.earn(member)),
    revokes: () => this.revoke(),
    changes: () => this.ofProfile((member) => ({ sent: this.writer.update(member) })),
    optsOut: () => this.ofProfile((member) => this.optOut(member)),
    leaves: () => this.ofProfile((member) => this.leave(member, false)),
    erases: () => this.ofProfile((member) => this.leave(member, true)),
    merges: () => this.ofProfile((member) => this.merge(member)),
    repeats: () => draftOf(this.repeats.same()),
    retells: () => draftOf(this.repeats.anew(this.writer.number('e'))),
    reemits: () => draftOf(this.repeats.later(this.writer.event('purchase.completed', '/re-emitted', {}))),
    contradicts: () => draftOf(this.repeats.conflict(this.writer.number('e'))),
    errs: () => draftOf(this.mistakes.spoil(this.nobodysPurchase())),
    empties: () => ({ sent: this.tombstone() }),
    anonymous: () => ({ sent: this.withoutCard() }),
    returnsAnonymous: () => this.giveBackWithoutCard(),
    claims: () => this.claim(),
    voidsReturns: () => this.ofReturn((member, told) => this.writer.refundVoided(member, told)),
    retellsReturns: () => this.ofReturn((member, told) => this.writer.refundAgain(member, told)),
    exchanges: () => this.exchange(),
    errsAtMarkets: () => ({ sent: this.market.spoil(this.nobodysPurchase()) }),
  };

  private ofSomebody(make: (member: Member) => Draft): Draft | null {
    const member = this.members.choose();
    return member && make(member);
  }

  /** What is told of members themselves: of some also before their enrolment is. */
  private ofProfile(make: (member: Member) => Draft | null): Draft | null {
    const isAny = this.chance.happens(this.dials.changesUnenrolled);
    const member = this.members.choose(({ state }) => isAny || state === 'enrolled');
    const draft = member && make(member);
    return draft && { ...draft, member };
  }

  /** Most enrol first; some do something before their enrolment arrives, a few never enrol. */
  private join(): Draft {
    const member = this.members.join(this.settles);
    if (member.neverEnrols) return this.begin(member);
    const isLate = this.holdsBack && this.chance.happens(this.dials.enrolsLate);
    const enrolment = this.enrolment(member);
    if (!isLate) return enrolment;
    this.hold(this.dials.enrolsLateMsMax, () => enrolment);
    return this.begin(member);
  }

  private begin(member: Member): Draft {
    return this.chance.happens(0.7) ? this.buy(member) : this.earn(member);
  }

  private enrolment(member: Member, isBack = false): Draft {
    const sent = this.writer.enrolment(member, isBack);
    return {
      sent,
      then: () => {
        member.state = 'enrolled';
      },
    };
  }

  private buy(member: Member): Draft {
    const purchase = this.writer.newPurchase(member);
    const sent = this.writer.purchase(this.shown(member), purchase);
    if (this.holdsBack && this.chance.happens(this.dials.wrongFormFirst)) {
      return this.buyInWrongForm(sent, { member, purchase });
    }
    remember(member, purchase);
    return { sent, then: () => this.correctLater({ member, purchase }) };
  }

  private correctLater(bought: Bought): void {
    if (!this.holdsBack || !this.corrections.happens(this.dials.corrected)) return;
    this.holdFor(this.corrections.below(1 + this.dials.lateMsMax), () => this.correct(bought));
  }

  /** By up to a third of it, mostly downwards. */
  private correct({ member, purchase }: Bought): Draft {
    const by = 2 * this.corrections.between(1, Math.floor(purchase.minor / 6));
    const to = purchase.minor + (this.corrections.happens(0.4) ? by : -by);
    const sent = this.writer.corrected(member, purchase, to);
    return { sent, then: () => this.correctLater({ member, purchase }) };
  }

  /** It lies in quarantine until it is sent as it should be; its void may pass meanwhile. */
  private buyInWrongForm(sent: Sent, { member, purchase }: Bought): Draft {
    const untilMs = 1 + this.chance.below(this.dials.lateMsMax);
    const isVoided = this.chance.happens(this.dials.voidedMeanwhile);
    if (isVoided) this.holdFor(this.chance.below(untilMs), () => ({ sent: this.writer.voided(member, purchase) }));
    this.holdFor(untilMs, () => ({
      sent,
      then: () => {
        if (!isVoided) remember(member, purchase);
      },
    }));
    return { sent: inWrongForm(sent) };
  }

  private merge(member: Member): Draft {
    const oldCard = member.oldCard ?? `${member.memberId}-old`;
    const then = (): void => {
      member.oldCard = oldCard;
    };
    return { sent: this.writer.merge(member, oldCard), then };
  }

  /** Some keep showing the card that was given up. */
  private shown(member: Member): Member {
    const showsOld = member.oldCard !== null && this.chance.happens(this.dials.oldCards);
    return showsOld ? { ...member, memberId: member.oldCard ?? member.memberId } : member;
  }

  private giveBack(): Draft | null {
    const bought = this.someBought();
    if (bought === null) return null;
    const { member, purchase } = bought;
    const told = this.writer.newReturn(member, purchase);
    // Before it is sent no second system tells of it.
    const then = (): void => {
      purchase.lastReturn = told;
    };
    return { sent: this.writer.refund(member, told), then };
  }

  /** Some tills tell of it once more, in the same words. */
  private exchange(): Draft | null {
    const member = this.members.choose(({ memberId, purchases }) => purchases.length > 0 && this.market.isOf(memberId));
    if (member === null) return null;
    const told = this.writer.newReturn(member, this.chance.pick(member.purchases));
    const sold = this.writer.newPurchase(member);
    // One receipt has no two purchases of one number.
    if (sold.purchaseId === told.where.purchaseId) return null;
    const sent = this.market.exchange(this.writer.refund(member, told), this.writer.purchase(member, sold));
    const then = (): void => {
      remember(member, sold);
      if (!this.holdsBack || !this.chance.happens(toldAgainShare)) return;
      this.hold(1 + this.dials.lateMsMax, () => ({ sent: { ...sent, part: 'duplicate', fate: 'open' } }));
    };
    return { sent, then };
  }

  private takeBack(): Draft | null {
    if (this.holdsBack && this.chance.happens(this.dials.voidsFirst)) return this.voidFirst();
    const bought = this.someBought();
    if (bought === null) return null;
    const { member, purchase } = bought;
    if (!this.dials.returnsVoided) member.purchases.splice(member.purchases.indexOf(purchase), 1);
    return { sent: this.writer.voided(member, purchase) };
  }

  /** Topics and tills have no order between them: the void arrives, and its purchase later. */
  private voidFirst(): Draft | null {
    const member = this.members.choose();
    if (member === null) return null;
    const purchase = this.writer.newPurchase(member);
    const sent = this.writer.purchase(member, purchase);
    this.hold(this.dials.lateMsMax, () => ({ sent }));
    return { sent: this.writer.voided(member, purchase) };
  }

  private someBought(): Bought | null {
    const member = this.members.choose(({ purchases }) => purchases.length > 0);
    if (member === null) return null;
    const last = member.purchases.at(-1);
    const isLast = last !== undefined && this.chance.happens(lastBoughtShare);
    return { member, purchase: isLast ? last : this.chance.pick(member.purchases) };
  }

  private earn(member: Member): Draft {
    const grantId = this.writer.number('G');
    rememberGrant(member, grantId);
    return { sent: this.writer.grant(this.shown(member), grantId) };
  }

  private revoke(): Draft | null {
    const member = this.members.choose(({ grants }) => grants.length > 0);
    const grantId = member?.grants.pop();
    return member && grantId !== undefined ? { sent: this.writer.revocation(member, grantId) } : null;
  }

  private optOut(member: Member): Draft {
    return { sent: this.writer.optOut(member, this.chance.weighted({ sms: 2, wallet: 1 })) };
  }

  /** Some enrol again after a while. */
  private leave(member: Member, erase: boolean): Draft | null {
    if (this.settles || member.state === 'left') return null;
    const leaves = (): void => {
      member.state = 'left';
      if (!this.dials.buysAfterLeaving) this.members.leave(member);
      if (!this.holdsBack || !this.chance.happens(this.dials.comesBack)) return;
      this.hold(this.dials.comesBackMsMax, () => this.comeBack(member));
    };
    return { sent: this.writer.optOut(member, 'program', erase), then: leaves };
  }

  private comeBack(member: Member): Draft {
    const { sent, then } = this.enrolment(member, true);
    return {
      sent,
      then: () => {
        then?.();
        this.members.comeBack(member);
      },
    };
  }

  private tombstone(): Sent {
    const key = this.writer.number('m');
    return { topic: 'members', key, content: { kind: 'tombstone' }, name: null, part: 'useless', fate: 'nothing' };
  }

  private nobodysPurchase(): Sent {
    const member = this.members.nobody(this.writer.number('nobody-'));
    return this.writer.purchase(member, this.writer.newPurchase(member));
  }

  private withoutCard(): Sent {
    const member = this.members.withoutCard();
    const purchase = this.writer.newPurchase(member);
    this.anonymous.push({ member, purchase });
    if (this.anonymous.length > anonymousMax) this.anonymous.shift();
    return { ...this.writer.purchase(member, purchase), part: 'no-member', fate: 'nothing' };
  }

  /** Some show a card of theirs when they bring it back. */
  private giveBackWithoutCard(): Draft | null {
    const bought = this.chance.pickAny(this.anonymous);
    if (bought === undefined) return null;
    const { purchase } = bought;
    const shown = this.chance.happens(0.5) ? this.ofProgram(bought.member) : null;
    const member = shown ?? bought.member;
    return { sent: { ...this.writer.refund(member, this.writer.newReturn(member, purchase)), fate: 'open' } };
  }

  private claim(): Draft | null {
    const bought = this.chance.pickAny(this.anonymous);
    const member = bought && this.ofProgram(bought.member);
    return member ? { sent: { ...this.writer.purchase(member, bought.purchase), fate: 'open' } } : null;
  }

  private ofProgram({ program }: Member): Member | null {
    return this.members.choose((member) => member.program === program);
  }

  private ofReturn(write: (member: Member, told: Return) => Sent): Draft | null {
    const bought = this.someBought();
    const told = bought?.purchase.lastReturn ?? null;
    return bought === null || told === null ? null : { sent: write(bought.member, told) };
  }

  /** Whether what has happened is sent after what happens later. Of a member, it may then be older than what is known. */
  private putsOff(draft: Draft): boolean {
    if (!this.holdsBack || !this.chance.happens(this.dials.late)) return false;
    const { member, sent } = draft;
    if (member) member.isMuddled = true;
    const late: Draft = member ? { ...draft, sent: { ...sent, fate: 'open' } } : draft;
    this.hold(this.dials.lateMsMax, () => late);
    return true;
  }

  private hold(withinMs: number, make: Held['make']): void {
    this.holdFor(this.chance.below(withinMs), make);
  }

  private holdFor(ms: number, make: Held['make']): void {
    this.held.push({ dueAt: this.writer.now + ms, make });
  }

  private takeHeld(until: number): Draft | null {
    const first = this.held.reduce<Held | null>((best, one) => (best && best.dueAt <= one.dueAt ? best : one), null);
    if (first === null || first.dueAt > until) return null;
    this.held.splice(this.held.indexOf(first), 1);
    return first.make();
  }
}

interface Bought {
  readonly member: Member;
  readonly purchase: Purchase;
}

const draftOf = (sent: Sent | null): Draft | null => sent && { sent };
