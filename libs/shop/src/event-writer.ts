import type { Chance } from './chance.js';
import type { Change, Dials } from './dials.js';
import type { CloudEvent, EventName, Fate, Sent, Topic } from './event.js';
import type { Member, Purchase, Return, Whereabouts } from './people.js';
import { lastName } from './people.js';

/** Of a shop that the partner does not know: its purchases are refused for good. */
export const closedStore = 'closed-shop';

const stores = ['berlin', 'hamburg', 'wien', 'paris'] as const;
const tillsPerStore = 3;
const campaigns = ['autumn', 'advent', null] as const;
const campaignsOnce = ['birthday', 'advent'] as const;
const firstNames = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan', 'Katherine', 'Jürgen', 'Zoë'] as const;

const hourMs = 3_600_000;
/** Within what is taken (docs/producers.md, The frame: at most 65 minutes ahead). */
const aheadMs = hourMs;
const behindHours = [1, 3, 9] as const;

const topicOf = (name: EventName): Topic => {
  if (name.startsWith('member.')) return 'members';
  return name.startsWith('purchase.') ? 'purchases' : 'rewards';
};

/** What a record tells of somebody, as the writer is asked for it. */
interface Told {
  readonly name: EventName;
  readonly member: Member;
  readonly data: object;
  readonly fate: Fate;
  readonly source: string;
  readonly sequence?: string;
}

/** Writes down what happened: numbers things, knows each till's clock. */
export class EventWriter {
  /** What the time is, epoch ms. */
  now = 0;
  /** Whatever is taken back elsewhere names its purchase: without it, it waits for one that nobody knows. */
  namesAll = false;
  private lastNumber = 0;
  /** Of producers that number what they tell, and of stores whose receipts restart. */
  private readonly counters = new Map<string, number>();
  private readonly skews = new Map<string, number>();
  private readonly chance: Chance;
  /** Of its own: what is given for a campaign changes nothing of what else happens. */
  private readonly campaigns: Chance;
  private readonly dials: Dials;

  constructor(options: { readonly chance: Chance; readonly dials: Dials }) {
    this.chance = options.chance;
    this.campaigns = options.chance.fork('campaigns');
    this.dials = options.dials;
  }

  /** A number that nothing else has. */
  number(letter: string): string {
    this.lastNumber += 1;
    return `${letter}${this.lastNumber}`;
  }

  newPurchase(member: Member): Purchase {
    const storeId = this.chance.happens(this.dials.closedStore) ? closedStore : this.chance.pick(stores);
    const purchaseId = this.tillNumber('P', member, storeId);
    return { purchaseId, storeId, minor: 10_000 + 2 * this.lastNumber, returns: 0, lastReturn: null, corrections: 0 };
  }

  /** @param isBack somebody who left enrols again */
  enrolment(member: Member, isBack: boolean): Sent {
    const { email, memberId } = member;
    const person = { firstName: this.chance.pick(firstNames), lastName, email };
    const consent = this.chance.happens(0.5) ? { optOut: false } : {};
    const own = isBack
      ? { tier: 'gold', message: this.number('welcome back '), smsSubscription: 'transactional' }
      : { tier: 'basic', smsSubscription: 'promotional' };
    const pass = isBack ? { points: 0, ...consent } : { points: 100 };
    const data = { person, ...own, pass, metaData: { shop: memberId } };
    const fate = isBack ? 'open' : 'owed';
    return this.ofMember({ name: 'member.enrolled', member, data, fate });
  }

  update(member: Member): Sent {
    const changed = this.chance.pick(this.dials.changes);
    const data = changed.reduce((said, path) => ({ ...said, ...this.changeOf(path) }), { changed });
    const fate = member.state === 'enrolled' && !member.isMuddled ? 'owed' : 'open';
    return this.ofMember({ name: 'member.updated', member, data, fate });
  }

  optOut(member: Member, scope: 'sms' | 'wallet' | 'program', erase = false): Sent {
    const fate = scope === 'program' || member.state !== 'enrolled' ? 'open' : 'owed';
    return this.ofMember({ name: 'member.opted-out', member, data: { scope, erase }, fate });
  }

  /** An old card of the member's turns up, and is given up. */
  merge(member: Member, oldCard: string): Sent {
    return this.ofMember({ name: 'member.merged', member, data: { absorbed: [oldCard] }, fate: 'open' });
  }

  purchase(member: Member, purchase: Purchase): Sent {
    const { purchaseId, storeId, minor } = purchase;
    const lines = [{ sku: `SKU-${this.chance.between(100, 999)}`, quantity: this.chance.between(1, 4) }];
    const attributes = { campaign: this.chance.pick(campaigns) };
    const data = { purchaseId, channel: 'pos', storeId, total: money(minor), lines, attributes };
    return this.atTill(storeId, { name: 'purchase.completed', member, data, fate: fateOf(member) });
  }

  newReturn(member: Member, purchase: Purchase): Return {
    purchase.returns += 1;
    const minor = Math.max(1, purchase.minor - 2 * purchase.returns + 1);
    const where = this.whereTakenBack(purchase);
    const refundId = this.tillNumber('R', member, where.storeId);
    return { refundId, returnId: this.number('back '), minor, where };
  }

  refund(member: Member, told: Return): Sent {
    return { ...this.returned(member, told), fate: fateOf(member) };
  }

  /** The same return, told by a second system under a number of its own. */
  refundAgain(member: Member, told: Return): Sent {
    return this.returned(member, { ...told, refundId: this.tillNumber('R', member, told.where.storeId) });
  }

  /** A return that was rung up by mistake. */
  refundVoided(member: Member, { refundId, minor, where: { storeId } }: Return): Sent {
    const original = member.program.restartsReceipts ? { refundId, storeId } : { refundId };
    const data = { purchaseId: this.number('V'), storeId, total: money(minor), original };
    return this.atTill(storeId, { name: 'purchase.voided', member, data, fate: 'open' });
  }

  private returned(member: Member, { refundId, returnId, minor, where }: Return): Sent {
    const data = { refundId, returnId, ...where, total: money(minor), reason: 'return' };
    return this.atTill(where.storeId, { name: 'purchase.refunded', member, data, fate: 'open' });
  }

  /** What a till takes back, most often with the total of what it takes back. */
  voided(member: Member, purchase: Purchase): Sent {
    const { minor } = purchase;
    const total = money(this.chance.happens(this.dials.voidsDisagree) ? minor + 1 : minor);
    const where = this.whereTakenBack(purchase);
    const data = { ...where, total, reason: 'cashier void' };
    return this.atTill(where.storeId, { name: 'purchase.voided', member, data, fate: 'open' });
  }

  /** Told by the back office, with its own right clock and numbers: it moves nothing of what tills draw. */
  corrected(member: Member, purchase: Purchase, to: number): Sent {
    const { purchaseId, storeId, minor } = purchase;
    const { program, memberId } = member;
    purchase.corrections += 1;
    purchase.minor = to;
    const number = `${program.name} ${storeId} ${purchaseId} ${purchase.corrections}`;
    const own = { correctionId: `${purchaseId}-${purchase.corrections}`, reason: 'deposit was forgotten' };
    const data = { program: program.name, memberId, purchaseId, storeId, ...own };
    const event = {
      ...{ id: `c ${number}`, source: '/back-office', type: 'loyalty.purchase.corrected.v1' },
      time: new Date(Math.floor(this.now)).toISOString(),
      data: { ...data, previousTotal: money(minor), total: money(to) },
    };
    const content = { kind: 'event', event } as const;
    return { topic: 'purchases', key: memberId, content, name: 'purchase.corrected', part: null, fate: 'open' };
  }

  grant(member: Member, grantId: string): Sent {
    const [usual = '', ...others] = member.program.rewards;
    const reward = this.chance.happens(0.3) ? (this.chance.pickAny(others) ?? usual) : usual;
    const told = { name: 'reward.granted', member, source: '/rewards' } as const;
    if (reward !== member.program.once) {
      return this.inShop({ ...told, data: { grantId, reward }, fate: fateOf(member) });
    }
    return this.inShop({ ...told, data: { grantId, reward, ...this.campaign() }, fate: 'open' });
  }

  /** What somebody may have got already, or may get too late. */
  private campaign(): object {
    const campaignId = this.campaigns.pick(campaignsOnce);
    if (!this.campaigns.happens(this.dials.expires)) return { campaignId };
    const validUntil = new Date(Math.floor(this.now) + this.campaigns.below(1 + this.dials.lateMsMax));
    return { campaignId, validUntil: validUntil.toISOString() };
  }

  revocation(member: Member, grantId: string): Sent {
    const data = { grantId, reason: 'granted by mistake' };
    return this.inShop({ name: 'reward.revoked', member, data, fate: 'open', source: '/rewards' });
  }

  /** An event of any type, of now. */
  event(name: string, source: string, data: CloudEvent['data']): CloudEvent {
    const prefix = this.chance.happens(this.dials.prefixed) ? 'com.example.' : '';
    const time = new Date(Math.floor(this.now + this.skewOf(source))).toISOString();
    return { id: this.number('e'), source, type: `${prefix}loyalty.${name}.v1`, time, data };
  }

  private changeOf(path: Change): object {
    switch (path) {
      case 'tier':
        return { tier: this.chance.pick(['gold', 'basic']) };
      case 'message':
        return { message: this.number('hello ') };
      case 'pass.points':
        return { pass: { points: Number(this.number('')) } };
      case 'metaData.note':
        return { metaData: { note: this.number('note ') } };
      default:
        return path satisfies never;
    }
  }

  /** Where something is taken back, and how it names its purchase. */
  private whereTakenBack({ purchaseId, storeId }: Purchase): Whereabouts {
    if (!this.chance.happens(this.dials.elsewhere)) return { storeId, purchaseId };
    const elsewhere = this.chance.pick(stores.filter((store) => store !== storeId));
    const isNamed = this.chance.happens(this.dials.namesOriginal) || this.namesAll;
    const original = isNamed ? { original: { storeId, purchaseId } } : {};
    return { storeId: elsewhere, purchaseId, ...original };
  }

  /** A till's own number: where receipts restart, it is only its store's. */
  private tillNumber(letter: string, { program }: Member, storeId: string): string {
    const own = this.number(letter);
    if (!program.restartsReceipts) return own;
    const count = this.counted(`${letter} ${program.name} ${storeId}`);
    return letter === 'P' ? String(count) : `${letter}${count}`;
  }

  private counted(name: string): number {
    const count = (this.counters.get(name) ?? 0) + 1;
    this.counters.set(name, count);
    return count;
  }

  private ofMember(told: Omit<Told, 'source' | 'sequence'>): Sent {
    const source = this.chance.happens(this.dials.webShop) ? '/web/shop' : '/crm';
    const sequence = this.chance.happens(this.dials.numbered) ? { sequence: String(this.counted(source)) } : {};
    const isWrong = this.skewOf(source) !== 0;
    if (isWrong) told.member.isMuddled = true;
    const fate = isWrong && told.name !== 'member.enrolled' ? 'open' : told.fate;
    return this.inShop({ ...told, fate, source, ...sequence });
  }

  private atTill(storeId: string, told: Omit<Told, 'source'>): Sent {
    const source = `/pos/${encodeURIComponent(storeId)}/till-${this.chance.between(1, tillsPerStore)}`;
    return this.inShop({ ...told, source });
  }

  private inShop({ name, member, data, fate, source, sequence }: Told): Sent {
    const { program, memberId } = member;
    // Who shows no card is left out.
    const event = this.event(name, source, { program: program.name, ...(memberId !== '' && { memberId }), ...data });
    return {
      topic: topicOf(name),
      key: memberId === '' ? String(event.data['purchaseId']) : memberId,
      content: { kind: 'event', event: sequence === undefined ? event : { ...event, sequence } },
      name,
      part: null,
      fate,
    };
  }

  /** How wrong a producer's clock is, ms; always the same for the same one. */
  private skewOf(source: string): number {
    const known = this.skews.get(source);
    if (known !== undefined) return known;
    const wrong = this.chance.happens(0.5) ? aheadMs : -hourMs * this.chance.pick(behindHours);
    const skew = this.chance.happens(this.dials.wrongClocks) ? wrong : 0;
    this.skews.set(source, skew);
    return skew;
  }
}

const fateOf = ({ neverEnrols }: Member): Fate => (neverEnrols ? 'stranded' : 'owed');

export function money(minor: number): object {
  return { minor, currency: 'EUR', digits: 2 };
}
