import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import { apiPost } from '../api/client.js';
import { ActionDialog, KeptNote } from '../components/action-dialog.js';
import type { Effect } from '../components/action-effect.js';
import { operationName } from '../components/operation-words.js';
import { useDraft } from '../session/drafts.js';
import { useMe } from '../session/session-store.js';
import { CorrectFields } from './correct-fields.js';
import { correctionOf } from './correction.js';
import { comesBackEachTime, type ActionName, isInDoubt, withAdvice } from './actions.js';
import type { Intent } from './intent-words.js';
import styles from './intent-screen.module.css';

export interface DialogProps {
  readonly intent: Intent;
  readonly onClose: () => void;
}

/** Refusals come with what to do about them. */
export async function advised<T>(action: Promise<T>): Promise<T> {
  return action.catch((error: unknown) => {
    throw error instanceof ApiProblem ? withAdvice(error) : error;
  });
}

function effectOf(intent: Intent, words: ReactNode): Effect {
  const { id, amount, operation, nextRequest } = intent;
  const request =
    nextRequest === null || nextRequest.method === '' ? '' : `: ${nextRequest.method} ${nextRequest.path}`;
  return {
    words,
    count: { value: 1, of: 'intent' },
    members: 1,
    money: amount === null ? [] : [amount],
    items: [{ id, text: `${id}, ${operationName(operation, 1)}${request}` }],
  };
}

const overtakenText = (overtaken: number): string =>
  overtaken === 0 ? '' : `; ${overtaken} later intents of its member were settled before it`;

/** Reads the story again: it shows what came of it. */
function useReread(): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ['/intents/{id}'] });
    void client.invalidateQueries({ queryKey: ['/members/{program}/{memberId}'] });
  };
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
  readonly children: ReactNode;
}

function Choice({ isChosen, onChange, children }: ChoiceProps): ReactNode {
  return (
    <label className={styles.choice}>
      <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  );
}

/** Of what was put back so often that the daemon refuses: an admin may insist. */
function useForce(intent: Intent): {
  readonly force: boolean;
  readonly choice: ReactNode;
  readonly refused: (code: string) => void;
} {
  const { role } = useMe();
  const [isRefused, setIsRefused] = useState(false);
  const [force, setForce] = useState(false);
  const isOffered = role === 'admin' && (isRefused || comesBackEachTime(intent));
  const choice = isOffered ? (
    <Choice isChosen={force} onChange={setForce}>
      Insist: it was put back five times or more and came back each time, or takes more than is left of its receipt.
    </Choice>
  ) : null;
  const refused = (code: string): void => {
    if (code === 'replayed-too-often' || code === 'over-refund') setIsRefused(true);
  };
  return { force: isOffered && force, choice, refused };
}

function ReplayDialog({ intent, onClose }: DialogProps): ReactNode {
  const { force, choice, refused } = useForce(intent);
  const reread = useReread();
  const { id } = intent;
  return (
    <ActionDialog
      action="Replay this intent"
      effect={effectOf(
        intent,
        'It is put back into its member’s queue, before what is still to come, and sent once more.',
      )}
      undo="Until it is sent it can be cancelled. What was sent cannot be taken back here."
      perform={async (reason) =>
        advised(apiPost('/intents/{id}/replay', { params: { id }, body: { reason, force } })).catch(
          (error: unknown) => {
            if (error instanceof ApiProblem) refused(error.code);
            throw error;
          },
        )
      }
      onClose={onClose}
      onDone={reread}
      done={({ overtaken }) => `It will be sent once more${overtakenText(overtaken)}`}
    >
      {choice}
    </ActionDialog>
  );
}

function CancelDialog({ intent, onClose }: DialogProps): ReactNode {
  const mayBeThere = isInDoubt(intent);
  const [notDelivered, setNotDelivered] = useState(false);
  const reread = useReread();
  const { id, operation } = intent;
  return (
    <ActionDialog
      action={`Cancel this ${operationName(operation, 1)}`}
      isDangerous
      effect={effectOf(intent, 'It will never be sent: the partner does not get it. What waits behind it goes on.')}
      undo="This cannot be undone: what is cancelled is never sent again."
      perform={async (reason) =>
        advised(apiPost('/intents/{id}/cancel', { params: { id }, body: { reason, notDelivered } }))
      }
      onClose={onClose}
      onDone={reread}
      done="It is cancelled and will not be sent"
      obstacle={mayBeThere && !notDelivered ? 'Say first that you have looked.' : null}
    >
      {mayBeThere ? (
        <Choice isChosen={notDelivered} onChange={setNotDelivered}>
          I have looked, and the partner does not have it. (If it does, it stays there, and nothing here says so.)
        </Choice>
      ) : null}
    </ActionDialog>
  );
}

function DeliveredDialog({ intent, onClose }: DialogProps): ReactNode {
  const [hasLooked, setHasLooked] = useState(false);
  const reread = useReread();
  const { id } = intent;
  return (
    <ActionDialog
      action="Resolve as delivered"
      isDangerous
      effect={effectOf(intent, 'It counts as delivered and is never sent again. What waits behind it goes on.')}
      undo="This cannot be undone. If the partner does not have it after all, the member never gets it."
      perform={async (reason) =>
        advised(apiPost('/intents/{id}/resolve', { params: { id }, body: { reason, as: 'delivered', force: false } }))
      }
      onClose={onClose}
      onDone={reread}
      done="It counts as delivered"
      obstacle={hasLooked ? null : 'Say first that you have looked.'}
    >
      <Choice isChosen={hasLooked} onChange={setHasLooked}>
        I have looked, and the partner has it.
      </Choice>
    </ActionDialog>
  );
}

function NotDeliveredDialog({ intent, onClose }: DialogProps): ReactNode {
  const [hasLooked, setHasLooked] = useState(false);
  const { force, choice, refused } = useForce(intent);
  const reread = useReread();
  const { id } = intent;
  return (
    <ActionDialog
      action="Resolve as not delivered, and send again"
      isDangerous
      effect={effectOf(
        intent,
        'It is put back and sent once more. Where a later record has taken it back it is cancelled instead.',
      )}
      undo="What was sent cannot be taken back here. If the partner has it after all, it is done twice."
      perform={async (reason) =>
        advised(
          apiPost('/intents/{id}/resolve', { params: { id }, body: { reason, as: 'not-delivered', force } }),
        ).catch((error: unknown) => {
          if (error instanceof ApiProblem) refused(error.code);
          throw error;
        })
      }
      onClose={onClose}
      onDone={reread}
      done={({ overtaken }) => `It counts as not delivered${overtakenText(overtaken)}`}
      obstacle={hasLooked ? null : 'Say first that you have looked.'}
    >
      <Choice isChosen={hasLooked} onChange={setHasLooked}>
        I have looked, and the partner does not have it.
      </Choice>
      {choice}
    </ActionDialog>
  );
}

function CorrectDialog({ intent, onClose }: DialogProps): ReactNode {
  // As it was when somebody began: what they see is what they change.
  const [command] = useState(intent.command);
  const draft = useDraft('Correct this intent', () => JSON.stringify(command ?? {}, null, 2));
  const correction = correctionOf(command, draft.text);
  const close = (): void => {
    draft.drop();
    onClose();
  };
  const reread = useReread();
  const { id } = intent;
  return (
    <ActionDialog
      action="Correct this intent"
      effect={{
        words:
          'Its content changes as shown below. The record stays as it came; the correction is kept beside it. Nothing is sent by this: of what is parked, replay it afterwards.',
      }}
      undo="It can be corrected again as long as no attempt has begun. Other values than times, texts and the person take an admin."
      perform={async (reason) => {
        const patch = correction.kind === 'wrong' ? {} : correction.patch;
        return advised(apiPost('/intents/{id}/correct', { params: { id }, body: { reason, patch } }));
      }}
      onClose={close}
      onDone={reread}
      done={({ changes }) => `Corrected: ${changes.map(({ path }) => path).join(', ')}`}
      obstacle={correction.kind === 'wrong' ? correction.why : null}
    >
      {draft.isKept ? <KeptNote /> : null}
      <CorrectFields text={draft.text} onChange={draft.change} correction={correction} />
    </ActionDialog>
  );
}

export const actionDialogs: Readonly<Record<ActionName, (props: DialogProps) => ReactNode>> = {
  replay: ReplayDialog,
  correct: CorrectDialog,
  cancel: CancelDialog,
  delivered: DeliveredDialog,
  'not-delivered': NotDeliveredDialog,
};
