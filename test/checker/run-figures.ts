import type { IntentView, LaneView } from './lane/lane-view.js';
import { wayOut } from './lane/way-out.js';

/** What a run was like. */
export interface RunFigures {
  readonly lanes: number;
  readonly intents: number;
  readonly delivered: number;
  readonly cancelled: number;
  readonly attempts: number;
  readonly effects: number;
  /** Attempts whose outcome was unknown. */
  readonly unknowns: number;
  /** How unknown outcomes were resolved: by evidence, by what allowed a resend, or parked. */
  readonly resolutions: Readonly<Record<string, number>>;
  /** Parked in the end, by reason. */
  readonly parked: Readonly<Record<string, number>>;
  /** Of those parked as unknown, how many could have been found out: the policy has a way for them. */
  readonly overParked: number;
  readonly lateOutcomes: number;
}

type Counts = { -readonly [K in keyof RunFigures]: RunFigures[K] extends number ? number : Record<string, number> };

export class FigureCounter {
  private readonly counts: Counts = {
    lanes: 0,
    intents: 0,
    delivered: 0,
    cancelled: 0,
    attempts: 0,
    effects: 0,
    unknowns: 0,
    resolutions: {},
    parked: {},
    overParked: 0,
    lateOutcomes: 0,
  };

  get figures(): RunFigures {
    return this.counts;
  }

  count(view: LaneView): void {
    this.counts.lanes += 1;
    this.counts.effects += view.history.effects.length;
    for (const intent of view.intents.values()) this.countIntent(view, intent);
  }

  private countIntent(view: LaneView, intent: IntentView): void {
    const { counts } = this;
    const { status, park } = intent.standing;
    counts.intents += 1;
    counts.attempts += intent.attempts.length;
    if (status === 'delivered') counts.delivered += 1;
    if (status === 'cancelled') counts.cancelled += 1;
    if (status === 'parked' && park !== null) {
      add(counts.parked, park.reason);
      const hasWay = wayOut(intent.row.operation, intent.row.asks, view.policy) !== 'park';
      if (park.reason === 'unknown-outcome' && hasWay) counts.overParked += 1;
    }
    for (const { row } of intent.steps) {
      const { event } = row;
      if (event.type === 'AttemptUnknown') counts.unknowns += 1;
      if (event.type === 'LateOutcome') counts.lateOutcomes += 1;
      const how = resolutionOf(event);
      if (how !== null) add(counts.resolutions, how);
    }
  }
}

type Event = IntentView['steps'][number]['row']['event'];

function resolutionOf(event: Event): string | null {
  switch (event.type) {
    case 'VerifiedApplied':
      return `applied: ${event.evidence}`;
    case 'VerifiedAbsent':
      return `absent: ${event.evidence}`;
    case 'ResendDecided':
      return `sent again: ${event.basis}`;
    case 'IntentParked':
      return event.reason === 'unknown-outcome' ? 'parked' : null;
    default:
      return null;
  }
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
