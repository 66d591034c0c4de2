import type { Chance } from './chance.js';
import type { Dials, OtherWeights } from './dials.js';
import type { Sent } from './event.js';
import { eventsOf } from './event.js';

type Doing = keyof OtherWeights;

/** One call of another system, in the shop's words. */
export interface OtherCall {
  readonly does: Doing;
  readonly program: string;
  readonly memberId: string;
  /** No other call has the same; beyond what shops number, so that no sale is like one of ours. */
  readonly number: number;
  /** The purchase of ours whose number it takes before we can post it. */
  readonly takes: { readonly storeId: string; readonly purchaseId: string } | null;
}

interface TellingData {
  readonly program?: string;
  readonly memberId?: string;
  readonly storeId?: string;
  readonly purchaseId?: string;
}

/** They know so many members at most: a newer one takes the place of one of the others. */
const knownMax = 200;

/** Everybody else who posts to the partner, decided by chance and dials alone, from what the shop sends. */
export class OtherSystems {
  private readonly known: Required<Pick<TellingData, 'program' | 'memberId'>>[] = [];
  private made = 0;

  constructor(
    private readonly chance: Chance,
    private readonly dials: Pick<Dials, 'others' | 'othersDo' | 'othersTakeReceipts'>,
  ) {}

  /** What another system does just before this record is sent; null: nothing. */
  before(sent: Sent): OtherCall | null {
    const data = (eventsOf(sent.content)[0]?.data ?? {}) as TellingData;
    const taken = this.takenBefore(sent, data);
    if (taken !== null) return taken;
    const call = this.chance.happens(this.dials.others) ? this.draw() : null;
    this.learn(sent, data);
    return call;
  }

  private takenBefore({ name, fate }: Sent, { program, memberId, storeId, purchaseId }: TellingData): OtherCall | null {
    if (name !== 'purchase.completed' || fate !== 'owed' || storeId === undefined || purchaseId === undefined) {
      return null;
    }
    if (program === undefined || memberId === undefined) return null;
    if (!this.chance.happens(this.dials.othersTakeReceipts)) return null;
    return this.call('sells', { program, memberId }, { storeId, purchaseId });
  }

  private draw(): OtherCall | null {
    const member = this.chance.pickAny(this.known);
    if (member === undefined) return null;
    const does = this.chance.weighted(this.dials.othersDo);
    const who = does === 'issues' ? { ...member, memberId: `walk-in-${this.made + 1}` } : member;
    return this.call(does, who);
  }

  private call(
    does: Doing,
    { program, memberId }: { readonly program: string; readonly memberId: string },
    takes: OtherCall['takes'] = null,
  ): OtherCall {
    this.made += 1;
    return { does, program, memberId, number: this.made, takes };
  }

  private learn({ name }: Sent, { program, memberId }: TellingData): void {
    if (name !== 'member.enrolled' || program === undefined || memberId === undefined) return;
    this.known.push({ program, memberId });
    if (this.known.length > knownMax) this.known.splice(this.chance.below(knownMax), 1);
  }
}

/** How a program of the shop is reached at the partner. */
export interface OtherTerms {
  readonly brandId: string;
  readonly programId: string;
  /** Of purchases, as the programs file has it. */
  readonly transactionTypeId: string;
  /** Its attributes for a sale of that number; `takes`: of a purchase of ours. */
  readonly attributesOf: (number: string, takes: OtherCall['takes']) => Readonly<Record<string, string>>;
  readonly rewardId: string;
  readonly updateWorkflowId: string;
  /** Null: passes are issued directly. */
  readonly issueWorkflowId: string | null;
}

/** A call to the partner's API, as docs/partner-api.md has it. */
export interface OtherRequest {
  readonly method: 'POST';
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What a lookup must find first: the other systems change cards, and their workflow would make one. Absent: nothing. */
  readonly onlyWhere?: string;
  /** Begins with `other-`: so it is told from ours in the partner's ledger. */
  readonly requestId: string;
}

/** How the requests of other systems begin the id that they bring. */
export const otherSystems = 'other-';

/** Whether an entry of the partner's ledger is another system's, by the id that its request brought. */
export const isOthers = ({ requestId }: { readonly requestId: string | null }): boolean =>
  requestId?.startsWith(otherSystems) === true;

/** @param now of the sale, epoch ms */
export function otherRequest(call: OtherCall, terms: OtherTerms, now: number): OtherRequest {
  const { does, memberId, number } = call;
  const program = `/brands/${terms.brandId}/programs/${terms.programId}`;
  const query = `?unique_id=${encodeURIComponent(memberId)}`;
  const post = (path: string, body: OtherRequest['body']): OtherRequest => {
    return { method: 'POST', path: `${program}${path}`, body, requestId: `${otherSystems}${number}` };
  };
  const change = (body: object, passdata: object = {}): OtherRequest => ({
    ...post(`/workflows/${terms.updateWorkflowId}/wallet-passes`, {
      ...body,
      passdata: { ...passdata, metaData: { memberId } },
    }),
    onlyWhere: `${program}/wallets${query}`,
  });
  switch (does) {
    case 'sells':
      return post(`/transaction-types/${terms.transactionTypeId}/transactions${query}`, {
        amount: number + 0.01,
        transactionDate: new Date(now).toISOString(),
        attributes: terms.attributesOf(`X${number}`, call.takes),
      });
    case 'rewards':
      return post(`/rewards/${terms.rewardId}/wallet-pass${query}`, {});
    case 'issues': {
      const path =
        terms.issueWorkflowId === null ? '/issue-wallet' : `/workflows/${terms.issueWorkflowId}/wallet-passes`;
      return post(path, { passdata: { metaData: { memberId } } });
    }
    case 'changes':
      return change({ currentMessage: `from the other system ${number}`, templateTierId: 1 + (number % 2) });
    case 'optsOut':
      return number % 2 === 0 ? change({ smsSubscription: 900 }) : change({}, { optOut: true });
    default:
      return does satisfies never;
  }
}
