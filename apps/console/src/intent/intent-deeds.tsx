import { type ReactNode, useState } from 'react';

import { DeedButton } from '../components/deed-button.js';
import { deedDialogs } from './deed-dialogs.js';
import { type DeedName, obstacleOf } from './deeds.js';
import type { Intent } from './intent-words.js';
import { UnmaskDialog } from './unmask-dialog.js';
import type { Unmasked } from './unmasked.js';

type Open = DeedName | 'unmask' | null;

const buttons: readonly { readonly deed: DeedName; readonly text: string }[] = [
  { deed: 'replay', text: 'Replay' },
  { deed: 'delivered', text: 'Resolve as delivered' },
  { deed: 'not-delivered', text: 'Resolve as not delivered' },
  { deed: 'correct', text: 'Correct' },
  { deed: 'cancel', text: 'Cancel' },
];

/** What is shown: of what needs a person all, and why some cannot be done; else what can be done. */
function isOffered(intent: Intent, deed: DeedName): boolean {
  return intent.status === 'parked' || obstacleOf(intent, deed) === null;
}

interface IntentDeedsProps {
  readonly intent: Intent;
  /** Null: it is masked. */
  readonly unmasked: Unmasked | null;
  readonly onUnmasked: (unmasked: Unmasked | null) => void;
}

export function IntentDeeds({ intent, unmasked, onUnmasked }: IntentDeedsProps): ReactNode {
  const [open, setOpen] = useState<Open>(null);
  const close = (): void => setOpen(null);
  const Dialog = open === null || open === 'unmask' ? null : deedDialogs[open];
  return (
    <>
      {buttons
        .filter(({ deed }) => isOffered(intent, deed))
        .map(({ deed, text }) => (
          <DeedButton key={deed} needs="operator" obstacle={obstacleOf(intent, deed)} onClick={() => setOpen(deed)}>
            {text}
          </DeedButton>
        ))}
      {unmasked === null ? (
        <DeedButton
          needs="admin"
          obstacle={intent.isErased ? 'The member was erased: nothing personal is left.' : null}
          onClick={() => setOpen('unmask')}
        >
          Unmask
        </DeedButton>
      ) : (
        <button type="button" onClick={() => onUnmasked(null)}>
          Mask again
        </button>
      )}
      {Dialog === null ? null : <Dialog intent={intent} onClose={close} />}
      {open === 'unmask' ? <UnmaskDialog intent={intent} onClose={close} onUnmasked={onUnmasked} /> : null}
    </>
  );
}
