import type { CloudEvent, OtherTerms, Sent, ShopProgram } from '#shop';
import { Chance, demoDials, heldPerActMax, otherRequest, OtherSystems, Shop, whatOf } from '#shop';

import type { Club, Reward } from '../../dev/programs-text.js';
import { clubs, directClub, rewards, transactionTypes } from '../../dev/programs-text.js';
import type { Draft, Expectation, ExpectedEffect } from './draft.js';

const shopPrograms: readonly ShopProgram[] = Object.keys(clubs).map((name) => {
  return { name, share: 1, rewards: Object.keys(rewards), restartsReceipts: false };
});

interface TrafficOptions {
  readonly seed: number;
  /** How many records in all; null: as many as are asked for. */
  readonly records: number | null;
  /** The till's clock at the first event, epoch milliseconds. */
  readonly startMs: number;
}

/** Events are this far apart on the till's clock. */
const tickMs = 10;

/** A shop's day, the same for the same options: members enrol, buy, return, earn, and things go wrong on the way. */
export class Traffic implements Iterable<Draft> {
  private readonly shop: Shop;
  private readonly others: OtherSystems;

  constructor(private readonly options: TrafficOptions) {
    const chance = new Chance(options.seed);
    this.shop = new Shop({ chance, dials: demoDials, programs: shopPrograms });
    this.others = new OtherSystems(chance.fork('others'), demoDials);
  }

  *[Symbol.iterator](): Generator<Draft, void, undefined> {
    const records = this.options.records ?? Infinity;
    for (let emitted = 0; emitted < records; emitted += 1) yield this.draw(emitted, records - emitted);
  }

  /** What is put off must fit into what is left. */
  private draw(emitted: number, left: number): Draft {
    const now = this.options.startMs + emitted * tickMs;
    const { heldBack } = this.shop;
    const held = heldBack >= left ? this.shop.nextHeld(now) : null;
    const isEnding = left <= heldBack + heldPerActMax + 1;
    const sent = held ?? this.shop.next(now, { settles: isEnding, holdsBack: !isEnding });
    const call = this.others.before(sent);
    return draftOf(sent, call && otherRequest(call, otherTerms(call.program as Club), now));
  }
}

/** As the clubs' programs file has it (`dev/programs-text.ts`). */
function otherTerms(club: Club): OtherTerms {
  return {
    ...clubs[club],
    transactionTypeId: transactionTypes.purchase,
    attributesOf: (receipt) => ({ receipt }),
    rewardId: rewards['free-coffee'],
    updateWorkflowId: '78',
    issueWorkflowId: club === directClub ? null : '77',
  };
}

function draftOf(sent: Sent, other: Draft['other']): Draft {
  const { topic, key, content } = sent;
  return { topic, key, content, expectation: expectationOf(sent), role: whatOf(sent), other };
}

const nothing = { kind: 'nothing' } as const;

function expectationOf(sent: Sent): Expectation {
  const { content, fate, part } = sent;
  if (typeof fate === 'object') return { kind: 'quarantined', reason: fate.setAside };
  if (part === 'conflict') return { kind: 'quarantined', reason: 'conflict' };
  if (part !== null || content.kind !== 'event') return nothing;
  const effect = effectOf(sent, content.event);
  if (effect === null) return nothing;
  if (sent.name === 'purchase.voided') return { kind: 'void', effect };
  return fate === 'stranded' ? { kind: 'parked', effect } : { kind: 'effect', effect };
}

interface ToldData {
  readonly program: Club;
  readonly memberId: string;
  readonly purchaseId: string;
  readonly refundId: string;
  readonly reward: Reward;
  readonly total: { readonly minor: number };
  readonly pass: { readonly points: number };
}

/** As the clubs' programs file has it (`dev/programs-text.ts`); of a void, what it takes back. */
function effectOf({ name }: Sent, event: CloudEvent): ExpectedEffect | null {
  const { program, memberId, purchaseId, refundId, reward, total, pass } = event.data as unknown as ToldData;
  const of = (operation: ExpectedEffect['operation'], what: string): ExpectedEffect => {
    return { operation, ...clubs[program], memberId, what };
  };
  switch (name) {
    case 'member.enrolled':
      return of(program === directClub ? 'issue' : 'issue-via-workflow', '');
    case 'member.updated':
      return of('update-via-workflow', `points ${pass.points}`);
    case 'member.opted-out':
      return of('update-via-workflow', 'opt-out');
    case 'purchase.completed':
    case 'purchase.voided':
      return of('transaction', `${transactionTypes.purchase} ${purchaseId} ${total.minor / 100}`);
    case 'purchase.refunded':
      return of('transaction', `${transactionTypes.refund} ${refundId} ${-total.minor / 100}`);
    case 'reward.granted':
      return of('reward', rewards[reward]);
    case 'member.merged':
    case 'purchase.corrected':
    case 'reward.revoked':
    case null:
      return null;
    default:
      return name satisfies never;
  }
}
