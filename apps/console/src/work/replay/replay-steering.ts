import type { Job, JobSteering } from '../job-kinds.js';
import { countOf, filterOfReplay, replayOf, type Replay } from './replay-filter.js';

/** What steering does, in words. */
export interface SteeringWords {
  readonly button: string;
  readonly action: string;
  readonly done: string;
  readonly words: string;
  readonly undo: string;
}

function wordsOf(steering: JobSteering, { state, canary }: Replay, waiting: string): SteeringWords {
  const newCanary = canary && state === 'stopped' ? ' One goes first again, then ten, then the rest.' : '';
  switch (steering) {
    case 'pause':
      return {
        button: 'Pause',
        action: 'Pause this replay',
        done: 'Paused: nothing more is sent',
        words: `Nothing more is sent; ${waiting} wait. What is under way comes to its end.`,
        undo: 'Undo it by resuming.',
      };
    case 'resume':
      return {
        button: 'Resume',
        action: `Resume: send ${waiting}`,
        done: `${waiting} will be sent once more`,
        words: `The ${waiting} that still wait are sent once more.${newCanary} Those that failed again are not in it: they take a new replay.`,
        undo: 'It can be paused and cancelled at any time. What has been sent by then stays sent.',
      };
    case 'cancel':
      return state === 'planned'
        ? {
            button: 'Discard',
            action: 'Discard this dry run',
            done: 'Discarded: nothing was sent',
            words: 'Nothing was sent, and nothing will be: the intents stay parked as they are.',
            undo: 'It cannot be brought back, but planned anew.',
          }
        : {
            button: 'Cancel',
            action: `Cancel: skip ${waiting}`,
            done: `${waiting} were skipped`,
            words: `The ${waiting} that still wait are skipped and stay parked. What was sent stays sent.`,
            undo: 'It cannot be undone: what is skipped takes a new replay.',
          };
    default:
      return steering satisfies never;
  }
}

/** What steering a replay does to how many of its items. */
export function replaySteering(job: Job, steering: JobSteering): SteeringWords & { readonly waiting: number } {
  const replay = replayOf(job);
  const { waiting = 0 } = replay.byState;
  return { ...wordsOf(steering, replay, countOf(filterOfReplay(replay), waiting)), waiting };
}
