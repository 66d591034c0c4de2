import { type ReactNode } from 'react';

import { apiGet } from '../api/client.js';
import { ActionDialog, given } from '../components/action-dialog.js';
import type { PartnerView } from './pass-comparison.js';

interface AskPartnerProps {
  readonly of: { readonly program: string; readonly memberId: string };
  /** The id of the one that it is about; absent: of all that is open. */
  readonly intent?: string;
  readonly onClose: () => void;
  readonly onDone: (answer: PartnerView) => void;
}

/** Asks the partner once about a member, and says what that proves. */
export function AskPartner({ of, intent, onClose, onDone }: AskPartnerProps): ReactNode {
  const shown = intent === undefined ? 'shows it beside ours' : 'shows what that proves about this intent';
  return (
    <ActionDialog<PartnerView>
      action="Ask the partner"
      done="The partner has answered"
      effect={{ words: `Asks the partner once what it has of ${of.memberId}, and ${shown}. Nothing is changed.` }}
      undo="The audit keeps who asked, and why. It may wait up to 6 s for its turn: one such call a second is made."
      reason="optional"
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => {
        const query = { ...given(reason), ...(intent === undefined ? {} : { intent }) };
        return apiGet('/members/{program}/{memberId}/partner', { params: of, query });
      }}
    />
  );
}
