import { type ReactNode } from 'react';

import { apiPost } from '../api/client.js';
import { ActionDialog } from '../components/action-dialog.js';
import { advised, type DialogProps } from './action-dialogs.js';
import type { Unmasked } from './unmasked.js';

interface UnmaskProps extends DialogProps {
  readonly onUnmasked: (unmasked: Unmasked | null) => void;
}

/** Everything personal in this intent, for an admin who says why. */
export function UnmaskDialog({ intent, onClose, onUnmasked }: UnmaskProps): ReactNode {
  const { id, program, memberId } = intent;
  const find = (intents: readonly Unmasked[]): Unmasked | null => intents.find((one) => one.id === id) ?? null;
  return (
    <ActionDialog
      action="Show what is personal"
      effect={{
        words: `Everything personal in the newest 20 intents of ${memberId} is sent to this browser, and shown on this page for a minute.`,
      }}
      undo="The audit keeps that you saw it, with your name and reason."
      perform={async (reason) =>
        advised(apiPost('/members/{program}/{memberId}/unmask', { params: { program, memberId }, body: { reason } }))
      }
      onClose={onClose}
      onDone={({ intents }) => onUnmasked(find(intents))}
      done={({ intents }) =>
        find(intents) === null
          ? 'This intent is not among the newest 20 of its member: it stays masked'
          : 'What is personal is shown'
      }
    />
  );
}
