import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiPost } from '../api/client.js';
import { DeedButton } from '../components/deed-button.js';
import { DeedDialog, given } from '../components/deed-dialog.js';
import { countOf, filterOfReplay, type Replay } from './replay-filter.js';

type Steering = 'pause' | 'resume' | 'cancel';

const possible: Readonly<Record<Replay['state'], readonly Steering[]>> = {
  planned: ['cancel'],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  stopped: ['resume', 'cancel'],
  cancelled: [],
  done: [],
};

interface Words {
  readonly button: string;
  readonly deed: string;
  readonly done: string;
  readonly words: string;
  readonly undo: string;
}

function wordsOf(steering: Steering, { state, canary }: Replay, waiting: string): Words {
  const newCanary = canary && state === 'stopped' ? ' One goes first again, then ten, then the rest.' : '';
  switch (steering) {
    case 'pause':
      return {
        button: 'Pause',
        deed: 'Pause this replay',
        done: 'Paused: nothing more is sent',
        words: `Nothing more is sent; ${waiting} wait. What is under way comes to its end.`,
        undo: 'Undo it by resuming.',
      };
    case 'resume':
      return {
        button: 'Resume',
        deed: `Resume: send ${waiting}`,
        done: `${waiting} will be sent once more`,
        words: `The ${waiting} that still wait are sent once more.${newCanary} Those that failed again are not in it: they take a new replay.`,
        undo: 'It can be paused and cancelled at any time. What has been sent by then stays sent.',
      };
    case 'cancel':
      return state === 'planned'
        ? {
            button: 'Discard',
            deed: 'Discard this dry run',
            done: 'Discarded: nothing was sent',
            words: 'Nothing was sent, and nothing will be: the intents stay parked as they are.',
            undo: 'It cannot be brought back, but planned anew.',
          }
        : {
            button: 'Cancel',
            deed: `Cancel: skip ${waiting}`,
            done: `${waiting} were skipped`,
            words: `The ${waiting} that still wait are skipped and stay parked. What was sent stays sent.`,
            undo: 'It cannot be undone: what is skipped takes a new replay.',
          };
    default:
      return steering satisfies never;
  }
}

/** Pausing, resuming and cancelling, as far as the replay stands so that it can be done. */
export function ReplayActions({ replay }: { readonly replay: Replay }): ReactNode {
  const client = useQueryClient();
  const [open, setOpen] = useState<Steering | null>(null);
  const waiting = replay.byState.waiting ?? 0;
  const counted = countOf(filterOfReplay(replay), waiting);
  const { id } = replay;
  const words = open === null ? null : wordsOf(open, replay, counted);
  return (
    <>
      {possible[replay.state].map((steering) => (
        <DeedButton
          key={steering}
          // Whoever acts may pause; an admin's is resumed and cancelled by an admin, which the daemon judges.
          needs={steering !== 'pause' && replay.force ? 'admin' : 'operator'}
          {...(steering === 'resume' ? { kind: 'main' as const } : {})}
          onClick={() => setOpen(steering)}
        >
          {wordsOf(steering, replay, counted).button}
        </DeedButton>
      ))}
      {open === null || words === null ? null : (
        <DeedDialog
          deed={words.deed}
          done={words.done}
          undo={words.undo}
          isDangerous={open === 'cancel' && replay.state !== 'planned'}
          effect={{ words: words.words, count: { value: waiting, of: open === 'cancel' ? 'skipped' : 'waiting' } }}
          reason="optional"
          onClose={() => setOpen(null)}
          perform={async (reason) => apiPost(`/replays/{id}/${open}`, { params: { id }, body: given(reason) })}
          onDone={(answer) => {
            client.setQueryData(['/replays/{id}', { id }, null], answer);
            void client.invalidateQueries({ queryKey: ['/replays'] });
          }}
        />
      )}
    </>
  );
}
