import type { Replay } from './replay-filter.js';

/** How many the canary sends before it looks: one, ten more, then the rest. */
const stages = [1, 11] as const;

export interface CanaryVerdict {
  readonly tone: 'quiet' | 'good' | 'busy' | 'bad';
  readonly title: string;
  readonly meaning: string;
  /** What to do, in order; none where there is nothing to do. */
  readonly steps: readonly string[];
}

export type Judged = Pick<Replay, 'state' | 'canary' | 'canaryProgress' | 'error' | 'byState' | 'byForecast'>;

/** How many of what was sent have come to an end, failed again, and are still under way. */
function sentSoFar({ byState }: Pick<Replay, 'byState'>): Readonly<Record<'settled' | 'failed' | 'underWay', number>> {
  const { delivered = 0, parked = 0, cancelled = 0, sent = 0 } = byState;
  return { settled: delivered + parked + cancelled, failed: parked, underWay: sent };
}

const wordsOf = (tone: CanaryVerdict['tone'], title: string, meaning: string): CanaryVerdict => ({
  tone,
  title,
  meaning,
  steps: [],
});

function stopped({ error, byState }: Judged): CanaryVerdict {
  const { parked = 0, waiting = 0 } = byState;
  const figure = (count: number): string => count.toLocaleString('en');
  return {
    tone: 'bad',
    title: `The canary stopped it: ${error ?? 'too many failed again'}`,
    meaning: `Nothing more is sent. ${figure(waiting)} ${waiting === 1 ? 'waits' : 'wait'} as before, and ${figure(parked)} ${parked === 1 ? 'is' : 'are'} parked again.`,
    steps: [
      'See why: open what failed again, below.',
      'Mend the cause: at the partner, in the programs file, or correct the intent.',
      'Resume: it begins with one again, then ten, then the rest.',
      'Those that failed again are not in it any more: replay them afterwards, by a new replay of the same selection.',
    ],
  };
}

/** Since this canary began, which is anew where one that stopped it was resumed. */
function sinceCanary(replay: Judged): Readonly<Record<'settled' | 'failed', number>> {
  return replay.canaryProgress ?? sentSoFar(replay);
}

/** Which part goes now, and what would stop it. */
function stageOf(replay: Judged): CanaryVerdict {
  const { settled, failed } = sinceCanary(replay);
  const { underWay } = sentSoFar(replay);
  if (settled < stages[0]) {
    const title = underWay === 0 ? 'The first one goes next' : 'The first one is under way';
    return wordsOf('busy', title, 'One goes first. Ten more go once it is delivered.');
  }
  if (settled < stages[1]) {
    const stops = failed === 0 ? 'if two of them fail again' : 'if one more of them fails again';
    return wordsOf('busy', 'The first one was delivered: ten more go', `It stops ${stops}.`);
  }
  const tone = failed === 0 ? 'good' : 'busy';
  const title = failed === 0 ? 'The canary is well: the rest goes' : 'The canary lets the rest go';
  return wordsOf(tone, title, 'It stops if more than half fail again.');
}

function running(replay: Judged): CanaryVerdict {
  const { settled, failed } = sinceCanary(replay);
  const stage = stageOf(replay);
  if (failed === 0) return stage;
  const so = `${failed.toLocaleString('en')} of ${settled.toLocaleString('en')} failed again so far.`;
  return { ...stage, meaning: `${so} ${stage.meaning}` };
}

function done(replay: Judged): CanaryVerdict {
  const { failed, settled } = sentSoFar(replay);
  if (failed === 0) {
    return wordsOf('good', 'None failed again', `All ${settled.toLocaleString('en')} that were sent were delivered.`);
  }
  return {
    tone: 'bad',
    title: `${failed.toLocaleString('en')} of ${settled.toLocaleString('en')} failed again`,
    meaning: `${failed === 1 ? 'It is' : 'They are'} parked again, until somebody replays ${failed === 1 ? 'it' : 'them'}.`,
    steps: ['See why: open what failed again, below.', 'Mend the cause, then plan a new replay of the same selection.'],
  };
}

const held = wordsOf(
  'quiet',
  'Waits for a pause',
  'What is held is put back into its queue, and sent once the pause is resumed.',
);

/** What the first ones say of the rest, and what to do about it. */
export function canaryVerdict(replay: Judged, { isHeld = false }: { readonly isHeld?: boolean } = {}): CanaryVerdict {
  if (isHeld && (replay.state === 'waiting' || replay.state === 'running')) return held;
  switch (replay.state) {
    case 'stopped':
      return stopped(replay);
    case 'done':
      return done(replay);
    case 'planned':
      return replay.canary
        ? wordsOf('quiet', 'One first, then ten, then the rest', 'It stops by itself when they fail again.')
        : wordsOf('quiet', 'All at once, without a canary', 'Only you stop it, however many fail again.');
    case 'cancelled':
      return wordsOf('quiet', 'It was cancelled', 'What was sent stays sent; the rest was skipped.');
    case 'paused':
      return wordsOf('quiet', 'Somebody paused it', 'Nothing is sent until somebody resumes it.');
    case 'failed':
      return wordsOf('bad', 'It failed', 'Mend the cause, then resume it: it goes on where it was.');
    case 'waiting':
    case 'running':
      return replay.canary
        ? running(replay)
        : wordsOf('busy', 'Without a canary', 'It goes on however many fail again. Pause it if they do.');
    default:
      return replay.state satisfies never;
  }
}
