import { type ReactNode, useState } from 'react';

import { ActionButton } from '../components/action-button.js';
import { operationName } from '../components/operation-words.js';
import { AskPartner } from '../member/ask-partner.js';
import type { PartnerView } from '../member/pass-comparison.js';
import { actionDialogs } from './action-dialogs.js';
import { type ActionName, isInDoubt, obstacleOf, ranksOf } from './actions.js';
import type { Intent } from './intent-words.js';
import { UnmaskDialog } from './unmask-dialog.js';
import type { Unmasked } from './unmasked.js';

type Open = ActionName | 'ask' | 'unmask';

const texts: Readonly<Record<Exclude<ActionName, 'cancel'> | 'ask', string>> = {
  ask: 'Ask the partner',
  replay: 'Replay',
  delivered: 'Resolve as delivered',
  'not-delivered': 'Resolve as not delivered',
  correct: 'Correct',
};
const textOf = ({ operation }: Intent, action: ActionName | 'ask'): string =>
  action === 'cancel' ? `Cancel this ${operationName(operation, 1)}` : texts[action];

/** What is shown: of what needs a person all, and why some cannot be done; else what can be done. */
function isOffered(intent: Intent, action: ActionName): boolean {
  return intent.status === 'parked' || obstacleOf(intent, action) === null;
}

interface IntentActionsProps {
  readonly intent: Intent;
  /** What the partner’s answer of just now proves of it; null: it was not asked. */
  readonly proven: 'applied' | 'not-applied' | 'nothing' | null;
  readonly onAnswer: (answer: PartnerView) => void;
  /** Null: it is masked. */
  readonly unmasked: Unmasked | null;
  readonly onUnmasked: (unmasked: Unmasked | null) => void;
}

function Dialogs({
  open,
  of,
  onClose,
}: {
  readonly open: Open;
  readonly of: IntentActionsProps;
  readonly onClose: () => void;
}) {
  const { intent, onAnswer, onUnmasked } = of;
  const { id, program, memberId } = intent;
  if (open === 'unmask') return <UnmaskDialog intent={intent} onClose={onClose} onUnmasked={onUnmasked} />;
  if (open === 'ask') return <AskPartner of={{ program, memberId }} intent={id} onClose={onClose} onDone={onAnswer} />;
  const Dialog = actionDialogs[open];
  return <Dialog intent={intent} onClose={onClose} />;
}

interface ActionsProps {
  readonly intent: Intent;
  readonly actions: readonly ActionName[];
  readonly onOpen: (action: ActionName) => void;
}

function Actions({ intent, actions, onOpen }: ActionsProps): ReactNode {
  return actions.map((action) => (
    <ActionButton key={action} needs="operator" obstacle={obstacleOf(intent, action)} onClick={() => onOpen(action)}>
      {textOf(intent, action)}
    </ActionButton>
  ));
}

function MaskButton({ of, onOpen }: { readonly of: IntentActionsProps; readonly onOpen: () => void }): ReactNode {
  const { intent, unmasked, onUnmasked } = of;
  if (unmasked !== null) {
    return (
      <button type="button" onClick={() => onUnmasked(null)}>
        Mask again
      </button>
    );
  }
  const obstacle = intent.isErased ? 'The member was erased: nothing personal is left.' : null;
  return (
    <ActionButton needs="admin" obstacle={obstacle} onClick={onOpen}>
      Unmask
    </ActionButton>
  );
}

/** The action to do next first; what is rarely right stands behind "More". */
export function IntentActions(props: IntentActionsProps): ReactNode {
  const { intent, proven } = props;
  const [open, setOpen] = useState<Open | null>(null);
  const [isMore, setIsMore] = useState(false);
  const { main, beside, more } = ranksOf(intent, proven);
  const offered = (actions: readonly ActionName[]): readonly ActionName[] =>
    actions.filter((action) => isOffered(intent, action));
  const others = offered(more);
  return (
    <>
      {main === null ? null : (
        <ActionButton
          needs="operator"
          kind="main"
          obstacle={main === 'ask' ? null : obstacleOf(intent, main)}
          onClick={() => setOpen(main)}
        >
          {textOf(intent, main)}
        </ActionButton>
      )}
      {main !== 'ask' && isInDoubt(intent) ? (
        <ActionButton needs="operator" onClick={() => setOpen('ask')}>
          Ask the partner again
        </ActionButton>
      ) : null}
      <Actions intent={intent} actions={offered(beside)} onOpen={setOpen} />
      {isMore ? <Actions intent={intent} actions={others} onOpen={setOpen} /> : null}
      {others.length === 0 ? null : (
        <button type="button" aria-expanded={isMore} onClick={() => setIsMore(!isMore)}>
          {isMore ? 'Less' : 'More'}
        </button>
      )}
      <MaskButton of={props} onOpen={() => setOpen('unmask')} />
      {open === null ? null : <Dialogs open={open} of={props} onClose={() => setOpen(null)} />}
    </>
  );
}
