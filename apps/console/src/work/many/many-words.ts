import type { Job, ManyKind } from '../job-kinds.js';

interface ManyWords {
  readonly title: string;
  readonly about: string;
  /** The button that plans it. */
  readonly look: string;
  /** Begins the name of the button that does it: `Correct 420 purchases`. */
  readonly verb: string;
  readonly undo: string;
}

const stays = 'It can be paused and cancelled at any time; what has been done by then stays done.';

export const manyWords: Readonly<Record<ManyKind, ManyWords>> = {
  resolve: {
    title: 'Resolve many',
    about: 'Says the same of many parked intents. First a look at which.',
    look: 'Look which they are',
    verb: 'Resolve',
    undo: `${stays} What is sent again cannot be taken back, and does it twice where the partner has it.`,
  },
  correct: {
    title: 'Correct many',
    about: 'Gives many parked intents other content. First a look at what changes.',
    look: 'Look what would change',
    verb: 'Correct',
    undo: `${stays} What was recorded is kept beside each correction.`,
  },
  cancel: {
    title: 'Cancel many',
    about: 'Gives many parked intents up: they are not sent. First a look at which.',
    look: 'Look which they are',
    verb: 'Cancel',
    undo: `${stays} What is cancelled is never sent.`,
  },
  ask: {
    title: 'Ask the partner about many',
    about: 'Looks up each of what is in doubt, where that can prove something. First a look at which.',
    look: 'Look where it can',
    verb: 'Ask about',
    undo: `${stays} It sends nothing: what is proved to be there is settled, what is proved not to be there is replayed afterwards.`,
  },
  resubmit: {
    title: 'Resubmit many',
    about: 'Takes in records that were set aside, as they are or all changed alike. First each is tried.',
    look: 'Try them',
    verb: 'Resubmit',
    undo: `${stays} What is taken in becomes an intent and is sent; it cannot be put back here.`,
  },
  discard: {
    title: 'Discard many',
    about: 'Gives up records that were set aside. First a look at which.',
    look: 'Look which they are',
    verb: 'Discard',
    undo: `${stays} A discarded record cannot be taken in any more.`,
  },
  settle: {
    title: 'Settle by the partner’s list',
    about: 'Settles what is in doubt by what the partner has. First a look at what their list says of each.',
    look: 'Look what the list says',
    verb: 'Settle',
    undo: `${stays} It sends nothing: what the partner does not have is replayed afterwards.`,
  },
};

/** `Correct and replay`, `Resolve as delivered`: what the button does to each. */
export function verbOf({ kind, request }: Pick<Job, 'kind' | 'request'>): string {
  if (kind === 'correct' && request.replay === true) return 'Correct and replay';
  if (kind === 'resolve') return `Resolve as ${request.as === 'delivered' ? 'delivered' : 'not delivered'}`;
  return manyWords[kind as ManyKind].verb;
}

/** A merge patch as it is typed; null: it is no JSON object. */
export function patchOf(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
