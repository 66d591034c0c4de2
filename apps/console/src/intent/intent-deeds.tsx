import { type ReactNode, useState } from 'react';

import { DeedButton } from '../components/deed-button.js';
import { operationName } from '../components/operation-words.js';
import { AskPartner } from '../member/ask-partner.js';
import type { PartnerView } from '../member/pass-comparison.js';
import { deedDialogs } from './deed-dialogs.js';
import { type DeedName, isInDoubt, obstacleOf, ranksOf } from './deeds.js';
import type { Intent } from './intent-words.js';
import { UnmaskDialog } from './unmask-dialog.js';
import type { Unmasked } from './unmasked.js';

type Open = DeedName | 'ask' | 'unmask';

const texts: Readonly<Record<Exclude<DeedName, 'cancel'> | 'ask', string>> = {
  ask: 'Ask the partner',
  replay: 'Replay',
  delivered: 'Resolve as delivered',
  'not-delivered': 'Resolve as not delivered',
  correct: 'Correct',
};
const textOf = ({ operation }: Intent, deed: DeedName | 'ask'): string =>
  deed === 'cancel' ? `Cancel this ${operationName(operation, 1)}` : texts[deed];

/** What is shown: of what needs a person all, and why some cannot be done; else what can be done. */
function isOffered(intent: Intent, deed: DeedName): boolean {
  return intent.status === 'parked' || obstacleOf(intent, deed) === null;
}

interface IntentDeedsProps {
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
  readonly of: IntentDeedsProps;
  readonly onClose: () => void;
}) {
  const { intent, onAnswer, onUnmasked } = of;
  const { id, program, memberId } = intent;
  if (open === 'unmask') return <UnmaskDialog intent={intent} onClose={onClose} onUnmasked={onUnmasked} />;
  if (open === 'ask') return <AskPartner of={{ program, memberId }} intent={id} onClose={onClose} onDone={onAnswer} />;
  const Dialog = deedDialogs[open];
  return <Dialog intent={intent} onClose={onClose} />;
}

interface DeedsProps {
  readonly intent: Intent;
  readonly deeds: readonly DeedName[];
  readonly onOpen: (deed: DeedName) => void;
}

function Deeds({ intent, deeds, onOpen }: DeedsProps): ReactNode {
  return deeds.map((deed) => (
    <DeedButton key={deed} needs="operator" obstacle={obstacleOf(intent, deed)} onClick={() => onOpen(deed)}>
      {textOf(intent, deed)}
    </DeedButton>
  ));
}

function MaskButton({ of, onOpen }: { readonly of: IntentDeedsProps; readonly onOpen: () => void }): ReactNode {
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
    <DeedButton needs="admin" obstacle={obstacle} onClick={onOpen}>
      Unmask
    </DeedButton>
  );
}

/** The deed to do next first; what is rarely right stands behind "More". */
export function IntentDeeds(props: IntentDeedsProps): ReactNode {
  const { intent, proven } = props;
  const [open, setOpen] = useState<Open | null>(null);
  const [isMore, setIsMore] = useState(false);
  const { main, beside, more } = ranksOf(intent, proven);
  const offered = (deeds: readonly DeedName[]): readonly DeedName[] => deeds.filter((deed) => isOffered(intent, deed));
  const others = offered(more);
  return (
    <>
      {main === null ? null : (
        <DeedButton
          needs="operator"
          kind="main"
          obstacle={main === 'ask' ? null : obstacleOf(intent, main)}
          onClick={() => setOpen(main)}
        >
          {textOf(intent, main)}
        </DeedButton>
      )}
      {main !== 'ask' && isInDoubt(intent) ? (
        <DeedButton needs="operator" onClick={() => setOpen('ask')}>
          Ask again
        </DeedButton>
      ) : null}
      <Deeds intent={intent} deeds={offered(beside)} onOpen={setOpen} />
      {isMore ? <Deeds intent={intent} deeds={others} onOpen={setOpen} /> : null}
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
