import type { Chance } from './chance.js';
import type { Dials, ShopProgram } from './dials.js';

export interface Purchase {
  readonly purchaseId: string;
  readonly storeId: string;
  /** What it is by all that was told of it. No two purchases have the same. */
  minor: number;
  /** How often that was corrected. */
  corrections: number;
  /** How often something of it was given back. */
  returns: number;
  /** The last time. */
  lastReturn: Return | null;
}

/** What a till told of something that was given back. */
export interface Return {
  readonly refundId: string;
  /** One for all systems that tell of it. */
  readonly returnId: string;
  readonly minor: number;
  /** Where, and of which purchase. */
  readonly where: Whereabouts;
}

/** A purchase as the till that takes it back names it. */
export interface Whereabouts {
  readonly storeId: string;
  readonly purchaseId: string;
  readonly original?: object;
}

/** Somebody with a card, as the shop knows them. */
export interface Member {
  readonly program: ShopProgram;
  readonly memberId: string;
  readonly email: string;
  /** Known to the shop, not to us, and for good where `neverEnrols`. */
  state: 'stranger' | 'enrolled' | 'left';
  readonly neverEnrols: boolean;
  /** What was told of them came late or by a wrong clock: of what follows, some may be older than what is known. */
  isMuddled: boolean;
  readonly purchases: Purchase[];
  readonly grants: string[];
  /** The number of an old card, which a merge has given up; null: there is none. */
  oldCard: string | null;
}

const hotMembers = 8;
const purchasesMax = 20;
const grantsMax = 20;
/** Few buy so much that trying so many of them finds nobody. */
const triesMax = 12;

/** Who takes part. */
export class Members {
  private readonly active: Member[] = [];
  private readonly counts = new Map<string, number>();
  private joined = 0;

  constructor(
    private readonly chance: Chance,
    private readonly options: { readonly dials: Dials; readonly programs: readonly ShopProgram[] },
  ) {}

  get count(): number {
    return this.joined;
  }

  /** Somebody new, not enrolled yet. Ids are unique over all programs. @param mustEnrol whatever the dials say */
  join(mustEnrol: boolean): Member {
    const { dials } = this.options;
    const program = this.programOfNext();
    const number = this.counts.get(program.name) ?? 0;
    this.counts.set(program.name, number + 1);
    this.joined += 1;
    const memberId = `${program.name}-${number}`;
    const other = this.chance.happens(dials.households) ? this.choose() : null;
    const member = memberOf(program, {
      memberId,
      email: other?.email ?? `${memberId}${mailDomain}`,
      neverEnrols: this.chance.happens(dials.neverEnrols) && !mustEnrol,
    });
    if (!member.neverEnrols || dials.strangersStay) this.active.push(member);
    if (this.active.length > dials.membersMax) this.active.splice(Math.min(hotMembers, this.active.length - 1), 1);
    return member;
  }

  /** Nobody: what is told of them must not be taken. */
  nobody(memberId: string): Member {
    return memberOf(this.chance.pick(this.options.programs), { memberId, email: '', neverEnrols: true });
  }

  /** Somebody who shows no card. */
  withoutCard(): Member {
    return this.nobody('');
  }

  /** Nothing more comes from this one, unless they come back. */
  leave(member: Member): void {
    const at = this.active.indexOf(member);
    if (at !== -1) this.active.splice(at, 1);
  }

  comeBack(member: Member): void {
    if (!this.active.includes(member)) this.active.push(member);
  }

  /** Somebody to whom it applies; null where nobody was found. Some come much more often than others. */
  choose(applies: (member: Member) => boolean = () => true): Member | null {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const isHot = this.chance.happens(this.options.dials.hotShare);
      const member = this.chance.pickAny(isHot ? this.active.slice(0, hotMembers) : this.active);
      if (member !== undefined && applies(member)) return member;
    }
    return null;
  }

  private programOfNext(): ShopProgram {
    const { programs, dials } = this.options;
    const inTurn = programs[this.joined % programs.length];
    if (this.joined < dials.membersFirst && inTurn !== undefined) return inTurn;
    const shares = Object.fromEntries(programs.map(({ share }, index) => [index, share]));
    return programs[Number(this.chance.weighted(shares))] ?? this.chance.pick(programs);
  }
}

function memberOf(program: ShopProgram, who: Pick<Member, 'memberId' | 'email' | 'neverEnrols'>): Member {
  return { program, ...who, state: 'stranger', isMuddled: false, purchases: [], grants: [], oldCard: null };
}

/** In every enrolment, and nowhere else: they must not be found in the clear. */
export const lastName = 'Zweistein';
export const mailDomain = '@shop.example.org';

export function remember(member: Member, purchase: Purchase): void {
  member.purchases.push(purchase);
  if (member.purchases.length > purchasesMax) member.purchases.shift();
}

export function rememberGrant(member: Member, grantId: string): void {
  member.grants.push(grantId);
  if (member.grants.length > grantsMax) member.grants.shift();
}
