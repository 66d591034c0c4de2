import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { ActionDialog } from '../components/action-dialog.js';
import { AdminNote } from './admin-note.js';
import { ChangesTable } from './changes-table.js';
import type { Drafted } from './correction.js';
import { placeText } from './quarantine-filter.js';
import { adminNeeds } from './record-changes.js';

type RecordDetails = Answer<'/quarantine/{id}'>;
type ActionResult = Answer<'/quarantine/{id}/resubmit', 'post'>;

export type RecordAction =
  | { readonly kind: 'resubmit'; readonly drafted: Extract<Drafted, { readonly state: 'changed' }> | null }
  | { readonly kind: 'discard' };

interface RecordActionsProps {
  readonly record: RecordDetails;
  readonly action: RecordAction;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function resultText({ detail, records }: ActionResult): string {
  if (records === undefined) return detail;
  const { recorded, duplicate, ignored, setAside } = records;
  return `${recorded} recorded, ${duplicate} duplicates, ${ignored} ignored, ${setAside} set aside by themselves.`;
}

/** Takes one record in after all, or gives it up. */
export function RecordActions({ record, action, onClose, onDone }: RecordActionsProps): ReactNode {
  const params = { id: String(record.id) };
  const items = [{ id: params.id, text: `${record.id} · ${record.reason} · ${placeText(record)}` }];
  if (action.kind === 'discard') {
    return (
      <ActionDialog
        action={`Discard record ${record.id}`}
        done={resultText}
        effect={{
          words: 'It is given up: nothing of it is ever sent. Its bytes are kept as long as the retention says.',
          items,
        }}
        undo="This cannot be undone: a discarded record cannot be taken in any more."
        isDangerous
        onClose={onClose}
        onDone={onDone}
        perform={async (reason) => apiPost('/quarantine/{id}/discard', { params, body: { reason } })}
      />
    );
  }
  const { drafted } = action;
  const corrected = drafted === null ? {} : { corrected: drafted.corrected };
  return (
    <ActionDialog
      action={drafted === null ? `Resubmit record ${record.id}` : `Resubmit record ${record.id} corrected`}
      done={resultText}
      effect={{
        words:
          drafted === null
            ? 'It is taken in as it arrived, as if it came now, by the programs file in force. It comes last in its member’s lane.'
            : 'It is taken in with these changes, as if it came now, and comes last in its member’s lane. What arrived is kept beside them.',
        items,
      }}
      undo="It cannot be put back: what is taken in becomes an intent and is sent. If it would be refused again, nothing changes."
      onClose={onClose}
      onDone={onDone}
      perform={async (reason) => apiPost('/quarantine/{id}/resubmit', { params, body: { reason, ...corrected } })}
    >
      {drafted === null ? null : (
        <>
          <ChangesTable changes={drafted.changes} label="What changes" />
          <AdminNote needs={adminNeeds(record.encoding, drafted.changes)} />
        </>
      )}
    </ActionDialog>
  );
}
