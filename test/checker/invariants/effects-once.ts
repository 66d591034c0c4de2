import type { Effect } from '../history/partner-history.js';
import type { Attempt } from '../lane/attempt.js';
import type { IntentView, LaneView } from '../lane/lane-view.js';
import { isLate } from '../lane/lane-view.js';
import { isTakenOnce, wayOut } from '../lane/way-out.js';
import type { ExposureBucket } from '../violation.js';
import type { Finding, Invariant } from './invariant.js';
import { whenItHappened } from './invariant.js';

/** I6: at most one effect per issue and per enforced unique transaction, under every fault. */
export const keyedEffectsOnce: Invariant = {
  id: 'I6',
  checks: 'no issue and no transaction with an enforced value has two effects',
  cannotSee: 'two passes of one member that two enrolments of different generations asked for',
  elsewhere: [],
  judge: () => ({ lane: (view) => judgeEffects(view, true) }),
};

/** I7: at most one effect per reward and plain transaction, unless the programs file asks for at least one. */
export const plainEffectsOnce: Invariant = {
  id: 'I7',
  checks: 'no reward, plain transaction or update has two effects under park or probe',
  cannotSee: 'which of two equal grants was applied twice: only that there are more effects than grants',
  elsewhere: [],
  judge: () => ({ lane: (view) => judgeEffects(view, false) }),
};

interface Made {
  readonly attempt: Attempt;
  readonly effect: Effect;
}

function* judgeEffects(lane: LaneView, isKeyed: boolean): Iterable<Finding> {
  for (const intent of lane.intents.values()) {
    if (isTakenOnce(intent.row.operation, intent.row.asks) !== isKeyed) continue;
    const made = intent.attempts.flatMap((attempt) => attempt.effects.map((effect) => ({ attempt, effect })));
    if (made.length > 1) yield* judgeMany(lane, intent, made);
  }
}

function* judgeMany(lane: LaneView, intent: IntentView, made: readonly Made[]): Iterable<Finding> {
  const { laneId } = lane.history.lane;
  const { seq } = intent.row;
  const [first, ...others] = withoutEchoes(made);
  if (others.length + 1 < made.length) yield { bucket: 'partner-applied-twice', laneId, seq };
  const last = others.at(-1);
  if (first === undefined || last === undefined) return;
  const bucket = bucketOf(lane, intent, [first, ...others]);
  if (bucket !== null) yield { bucket, laneId, seq };
  else {
    const problem = `${others.length + 1} effects at the partner`;
    const rows = [first.effect, ...others.map(({ effect }) => effect)];
    yield { ...whenItHappened(lane, last.attempt.begin, { problem, rows }), at: last.effect.appliedAt };
  }
}

/** One request applied twice is the partner's own doing. */
function withoutEchoes(made: readonly Made[]): Made[] {
  const seen = new Set<string>();
  return made.filter(({ effect: { requestId } }) => {
    if (requestId === null) return true;
    const isNew = !seen.has(requestId);
    seen.add(requestId);
    return isNew;
  });
}

function bucketOf(lane: LaneView, intent: IntentView, made: readonly Made[]): ExposureBucket | null {
  const { operation, asks } = intent.row;
  if (isTakenOnce(operation, asks) && !lane.notes.partner.enforcesUniqueness) return 'unenforcing-partner';
  if (made.some(({ attempt, effect }) => isLate(lane, attempt, effect))) return 'late-commit';
  if (wayOut(operation, asks, lane.policy) === 'resend') return 'at-least-once';
  if (isIssuedAnew(intent, made)) return 'issued-anew';
  const replayed = intent.steps.find(({ row, before }) => isOperatorWord(row.event.type) && before.hadUnknown);
  const isReplayed = replayed !== undefined && made.some(({ attempt }) => attempt.begin.version > replayed.row.version);
  return isReplayed ? 'operator-replay' : null;
}

/** What it had issued was gone, as a reconciliation found: each effect goes back to another word of an operator. */
function isIssuedAnew({ steps }: IntentView, made: readonly Made[]): boolean {
  const words = steps.filter(({ row }) => row.event.type === 'IntentReissued').map(({ row }) => row.version);
  const rounds = made.map(({ attempt }) => words.filter((version) => version < attempt.begin.version).length);
  return new Set(rounds).size === made.length;
}

function isOperatorWord(type: string): boolean {
  return type === 'IntentReplayed' || type === 'IntentResolved';
}
