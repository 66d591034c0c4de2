import type { CancelRequest, IdentityPlace, MemberEffects, RoutedIntent } from '#domain';

import { isOptOutType } from '../erasure/erasure.js';
import type { RecordToQuarantine } from '../quarantine/sealed-record.js';
import type { IdentityToInsert, JudgedRecord, RecordIdentity } from './identities.js';
import type { MemberName } from './members.js';
import type { IntentToPlace, PlacedIntent } from './place-intents.js';
import type { ProfileMarkTable, TakenEnrolment } from './profile-marks.js';
import type { PreparedRecord, RecordResult } from './recording.js';

/** The corrected content that a repeated enrolment brings. */
export interface CorrectionToDo {
  readonly of: IdentityPlace;
  readonly intent: RoutedIntent;
}

/** A record's request to cancel an earlier intent. */
export interface CancelToDo {
  readonly cancel: CancelRequest;
  readonly record: PreparedRecord;
  readonly identity: RecordIdentity;
}

/** Everything one transaction is going to write. */
export interface BatchPlan {
  readonly results: RecordResult[];
  readonly intents: IntentToPlace[];
  readonly cancels: CancelToDo[];
  readonly corrections: CorrectionToDo[];
  readonly enrolments: TakenEnrolment[];
  readonly memberEffects: { readonly member: MemberName; readonly effects: MemberEffects }[];
  readonly quarantine: RecordToQuarantine[];
  /** Identities of records that lead to no intent of their own. */
  readonly noops: RecordIdentity[];
}

type Routed = Extract<PreparedRecord['verdict'], { kind: 'routed' }>;
type Identified = Extract<JudgedRecord, { identity: RecordIdentity }>;

/** Plans the records of one segment, in order. Deterministic: a repeated transaction decides the same. */
class BatchPlanner {
  readonly plan: BatchPlan = {
    results: [],
    intents: [],
    cancels: [],
    corrections: [],
    enrolments: [],
    memberEffects: [],
    quarantine: [],
    noops: [],
  };

  constructor(private readonly profiles: ProfileMarkTable) {}

  add(judged: JudgedRecord): void {
    if (judged.identity === null) this.addUnidentified(judged.record);
    else this.addIdentified(judged);
  }

  private addIdentified(item: Identified): void {
    switch (item.verdict.kind) {
      case 'new':
        this.addFresh(item);
        return;
      case 'duplicate-event':
        this.plan.results.push({ kind: 'ignored', reason: 'duplicate-event' });
        return;
      case 'duplicate-business-key':
        this.ignore(item, 'duplicate-business-key');
        return;
      case 'conflict':
        this.setAside({ original: item.record.original, reason: 'conflict', detail: item.verdict.detail });
        return;
      case 'enrolment-changed':
        this.addChangedEnrolment(item, item.verdict.of);
    }
  }

  private addFresh(item: Identified): void {
    const { verdict } = item.record;
    if (verdict.kind !== 'routed') {
      this.ignore(item, verdict.kind === 'ignored' ? verdict.reason : 'not-mapped');
      return;
    }
    const taken = this.takeFresh(item, verdict);
    if (taken === null) this.ignore(item, 'stale');
    else this.addRouted(item, taken);
  }

  /** What is not stale of it; null: all of it is. */
  private takeFresh({ identity }: Identified, verdict: Routed): Routed | null {
    const [intent, ...others] = verdict.intents;
    if (intent === undefined || verdict.profilePosition === null) return verdict;
    const left = this.takeProfile(intent, verdict, identity.isEnrolment);
    return left === null ? null : { ...verdict, intents: [left, ...others] };
  }

  private takeProfile(intent: RoutedIntent, verdict: Routed, isEnrolment: boolean): RoutedIntent | null {
    if (isEnrolment) return this.addEnrolment(this.profiles.takeEnrolment(intent, verdict));
    if (!isOptOutType(verdict.eventType)) return this.profiles.takeUpdate(intent, verdict);
    this.profiles.takeOptOut(intent, verdict, leavesProgram(verdict));
    return intent;
  }

  private addRouted({ record, identity }: Identified, verdict: Routed): void {
    const { plan } = this;
    const { intents, cancels, memberEffects } = verdict;
    intents.forEach((intent, index) => {
      plan.intents.push({ intent, record, identity, ownsIdentity: index === 0 });
    });
    plan.cancels.push(...cancels.map((cancel) => ({ cancel, record, identity })));
    const member = intents[0] ?? cancels[0];
    if (memberEffects !== null && member !== undefined) plan.memberEffects.push({ member, effects: memberEffects });
    if (intents.length === 0) plan.noops.push(identity);
    plan.results.push({ kind: 'recorded' });
  }

  private addChangedEnrolment(item: Identified, of: IdentityPlace | null): void {
    const { verdict } = item.record;
    if (verdict.kind !== 'routed') return;
    if (of !== null && item.isCorrectable) this.addCorrection(item, verdict, of);
    else this.addAsUpdate(item, verdict);
  }

  private addCorrection(item: Identified, verdict: Routed, of: IdentityPlace): void {
    const [intent] = verdict.intents;
    if (intent === undefined) return;
    const taken = this.profiles.takeCorrection(intent, verdict);
    if (taken === null) {
      this.ignore(item, 'stale');
      return;
    }
    this.plan.corrections.push({ of, intent: this.addEnrolment(taken) });
    this.plan.noops.push(item.identity);
    this.plan.results.push({ kind: 'recorded' });
  }

  private addEnrolment(taken: TakenEnrolment): RoutedIntent {
    if (taken.newest.size > 0) this.plan.enrolments.push(taken);
    return taken.intent;
  }

  private addAsUpdate(item: Identified, verdict: Routed): void {
    const { record, identity } = item;
    const update = verdict.enrolmentAsUpdate;
    const intent = update === null ? null : this.profiles.takeUpdate(update, verdict);
    if (intent === null) {
      this.ignore(item, update === null ? 'not-mapped' : 'stale');
      return;
    }
    this.plan.intents.push({ intent, record, identity, ownsIdentity: false });
    this.plan.noops.push(identity);
    this.plan.results.push({ kind: 'recorded' });
  }

  private addUnidentified({ original, verdict }: PreparedRecord): void {
    if (verdict.kind === 'quarantine') {
      this.setAside({ original, reason: verdict.reason, detail: verdict.detail });
      return;
    }
    this.plan.results.push({ kind: 'ignored', reason: verdict.kind === 'ignored' ? verdict.reason : 'not-mapped' });
  }

  private setAside(record: RecordToQuarantine): void {
    this.plan.quarantine.push(record);
    this.plan.results.push({ kind: 'quarantined', reason: record.reason });
  }

  /** The event is remembered, so that it is known when it comes again. */
  private ignore({ identity }: Identified, reason: Extract<RecordResult, { kind: 'ignored' }>['reason']): void {
    this.plan.noops.push(identity);
    this.plan.results.push({ kind: 'ignored', reason });
  }
}

function leavesProgram({ cancels }: Routed): boolean {
  return cancels.some(({ target }) => target === 'everything-queued');
}

/** Decides in memory what the transaction will write. */
export function planBatch(records: readonly JudgedRecord[], profiles: ProfileMarkTable): BatchPlan {
  const planner = new BatchPlanner(profiles);
  for (const judged of records) planner.add(judged);
  return planner.plan;
}

/** What a plan leaves behind: each record's event, and its business key with the place of its intent (`placed[i]` is `items[i]`). */
export function identitiesToInsert(
  plan: BatchPlan,
  items: readonly IntentToPlace[],
  placed: readonly PlacedIntent[],
): IdentityToInsert[] {
  const owned = items.flatMap(({ ownsIdentity, identity }, index): IdentityToInsert[] => {
    const at = placed[index];
    if (at === undefined || !ownsIdentity) return [];
    const { eventKey, eventMac, businessKey, businessMac } = identity;
    const { laneId, seq } = at;
    const event: IdentityToInsert = { key: eventKey, kind: 'event', contentMac: eventMac, laneId, seq };
    if (businessKey === null || businessMac === null) return [event];
    return [event, { key: businessKey, kind: 'business', contentMac: businessMac, laneId, seq }];
  });
  const owners = new Set(items.filter(({ ownsIdentity }) => ownsIdentity).map(({ identity }) => identity));
  // What came too late to cancel was planned without an intent, and has one all the same.
  const noops = plan.noops
    .filter((identity) => !owners.has(identity))
    .map(({ eventKey: key, eventMac: contentMac }): IdentityToInsert => {
      return { key, kind: 'event', contentMac, laneId: null, seq: null };
    });
  return [...owned, ...noops];
}
