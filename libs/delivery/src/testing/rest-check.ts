import type { IntentState } from '#domain';

import type { LedgerEntry } from './fake-partner.js';
import type { StoredIntent, StoredLane } from './stored-lane.js';
import { eventsOf, foldedState } from './stored-lane.js';

/** How many effects at the partner go with a state; null: none or one, for it says that nobody knows. */
function effectsOf(state: IntentState, { operation }: StoredIntent): number | null {
  // An issue is delivered, too, where the member turns out to have a pass of ours already.
  if (state.status === 'delivered') return operation === 'issue' ? null : 1;
  return state.status === 'parked' && state.reason === 'unknown-outcome' ? null : 0;
}

function problemOfEffects(state: IntentState, intent: StoredIntent, effects: number): string | null {
  if (effects > 1) return `${effects} effects`;
  const expected = effectsOf(state, intent);
  return expected === null || expected === effects ? null : `${state.status} with ${effects} effects`;
}

/** What must not be left when everything has come to rest. */
function problemOfState(lane: StoredLane, state: IntentState): string | null {
  switch (state.status) {
    case 'absent':
    case 'delivering':
    case 'unknown':
      return `left ${state.status}`;
    case 'pending':
    case 'waiting':
      return lane.state === 'blocked' ? null : `left ${state.status}`;
    case 'parked':
      return state.doubts.length > 0 && state.reason !== 'unknown-outcome' ? `${state.reason} while in doubt` : null;
    case 'cancelled':
      return state.doubts.length > 0 ? 'cancelled while in doubt' : null;
    case 'delivered':
      return null;
  }
}

function problemOfParking(lane: StoredLane, seq: number, state: IntentState): string | null {
  if (state.status !== 'parked' || state.reason !== 'exhausted') return null;
  const last = eventsOf(lane, seq).findLast(({ event }) => event.type === 'AttemptNotApplied');
  const isAnswered = last?.event.type === 'AttemptNotApplied' && last.event.answered;
  return isAnswered ? null : 'parked as exhausted by an attempt without an answer';
}

function problemOfIntent(lane: StoredLane, intent: StoredIntent, effects: number): string | null {
  const { seq } = intent;
  const state = foldedState(lane, seq);
  return problemOfEffects(state, intent, effects) ?? problemOfState(lane, state) ?? problemOfParking(lane, seq, state);
}

/** Parked as unknown and let go: it may have taken effect while others were being delivered. */
function isLeftInDoubt(lane: StoredLane, seq: number): boolean {
  const state = foldedState(lane, seq);
  return state.status === 'parked' && state.hadUnknown;
}

/** First-applied order is the order of the lane; an enrolment may have overtaken. */
function problemOfOrder(lane: StoredLane, ledger: readonly LedgerEntry[]): string | null {
  const applied = new Set(ledger.map(({ seq }) => seq));
  const seqs = [...applied].filter((seq) => lane.intents[seq - 1]?.operation !== 'issue' && !isLeftInDoubt(lane, seq));
  const isInOrder = seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0));
  return isInOrder ? null : `applied in the order ${seqs.join(', ')}`;
}

function problemOfVersions(lane: StoredLane): string | null {
  const versions = [...lane.intents, ...lane.events].map(({ version }) => version).sort((a, b) => a - b);
  const isDense = versions.length === lane.version && versions.every((version, index) => version === index + 1);
  return isDense ? null : 'versions are not dense';
}

/** What is wrong with a lane at rest, given what the partner applied of it, in order. */
export function problemsAtRest(lane: StoredLane, ledger: readonly LedgerEntry[]): string[] {
  const ofIntents = lane.intents.map((intent) => {
    const problem = problemOfIntent(lane, intent, ledger.filter(({ seq }) => seq === intent.seq).length);
    return problem === null ? null : `intent ${intent.seq}: ${problem}`;
  });
  const problems = [problemOfVersions(lane), problemOfOrder(lane, ledger), ...ofIntents];
  return problems.flatMap((problem) => (problem === null ? [] : [`lane ${lane.laneId}: ${problem}`]));
}
