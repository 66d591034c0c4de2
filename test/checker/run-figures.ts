import type { IntentView, LaneView } from './lane/lane-view.js';
import { wayLeft } from './lane/way-out.js';

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
    const { status } = intent.standing;
    counts.intents += 1;
    counts.attempts += intent.attempts.length;
    counts.delivered += status === 'delivered' ? 1 : 0;
    counts.cancelled += status === 'cancelled' ? 1 : 0;
    this.countParked(view, intent);
    for (const { row } of intent.steps) {
      counts.unknowns += row.event.type === 'AttemptUnknown' ? 1 : 0;
      counts.lateOutcomes += row.event.type === 'LateOutcome' ? 1 : 0;
      add(counts.resolutions, resolutionOf(row.event));
    }
  }

  private countParked({ policy }: LaneView, { row, standing }: IntentView): void {
    const { status, park } = standing;
    if (status !== 'parked' || park === null) return;
    add(this.counts.parked, park.reason);
    const hasWay = wayLeft(row, policy, standing) !== 'park';
    this.counts.overParked += park.reason === 'unknown-outcome' && hasWay ? 1 : 0;
  }
}

type Event = IntentView['steps'][number]['row']['event'];

function resolutionOf(event: Event): string | null {
  if (event.type === 'VerifiedApplied') return `applied: ${event.evidence}`;
  if (event.type === 'VerifiedAbsent') return `absent: ${event.evidence}`;
  if (event.type === 'ResendDecided') return `sent again: ${event.basis}`;
  return event.type === 'IntentParked' && event.reason === 'unknown-outcome' ? 'parked' : null;
}

function add(counts: Record<string, number>, name: string | null): void {
  if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
}
