import { type ReactNode } from 'react';

import type { Answer } from '../api/api-types.js';
import { ActionButton } from '../components/action-button.js';
import { KeptNote } from '../components/action-dialog.js';
import { isMasked, mask } from '../components/mask.js';
import { Panel } from '../components/panel.js';
import { useDraft } from '../session/drafts.js';
import { AdminNote } from './admin-note.js';
import { ChangesTable } from './changes-table.js';
import { type Draft, type Drafted, draftOf, judgeDraft } from './correction.js';
import styles from './correction-panel.module.css';
import { adminNeeds } from './record-changes.js';

type RecordDetails = Answer<'/quarantine/{id}'>;
type ChangedDraft = Extract<Drafted, { readonly state: 'changed' }>;

const valueRows = 18;

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly isFlawed: boolean;
  readonly onChange: (text: string) => void;
}

function Editor({ label, text, isFlawed, onChange }: EditorProps): ReactNode {
  return (
    <label className={styles.field}>
      {label}
      <textarea
        rows={valueRows}
        value={text}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isFlawed}
        aria-describedby="correction-state"
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

function stateWords(drafted: Drafted): string | null {
  if (drafted.state === 'unchanged') return 'Nothing is changed yet.';
  if (drafted.state === 'unusable') return drafted.why;
  return drafted.changes.length === 0 ? 'Only spelling differs: blanks, or digits beyond what is compared here.' : null;
}

function MaskedNote({ draft }: { readonly draft: Draft }): ReactNode {
  if (!isMasked(draft.value) && !isMasked(draft.headers)) return null;
  return (
    <p className={styles.note}>
      What is masked ({mask}) stays as it arrived: leave the dots where they are, or type over them.
    </p>
  );
}

interface CorrectionPanelProps {
  readonly record: RecordDetails;
  readonly onReview: (drafted: ChangedDraft) => void;
  readonly onClose: () => void;
}

/** Another content for a record, and what of it that changes. What arrived is kept beside it. */
export function CorrectionPanel({ record, onReview, onClose }: CorrectionPanelProps): ReactNode {
  const kept = useDraft('Correct it', () => JSON.stringify(draftOf(record)));
  const draft = JSON.parse(kept.text) as Draft;
  const setDraft = (next: Draft): void => kept.change(JSON.stringify(next));
  const drafted = judgeDraft(record, draft);
  const needs = drafted.state === 'changed' ? adminNeeds(record.encoding, drafted.changes) : null;
  return (
    <Panel title="Correct it" about="Change what is wrong. What arrived is kept beside it.">
      {kept.isKept ? <KeptNote /> : null}
      <MaskedNote draft={draft} />
      <div className={styles.editors}>
        <Editor
          label="Value (JSON)"
          text={draft.value}
          isFlawed={drafted.state === 'unusable'}
          onChange={(value) => setDraft({ ...draft, value })}
        />
        <Editor
          label="Headers (JSON, each a text)"
          text={draft.headers}
          isFlawed={drafted.state === 'unusable'}
          onChange={(headers) => setDraft({ ...draft, headers })}
        />
      </div>
      <p id="correction-state" role="status" className={drafted.state === 'unusable' ? styles.flaw : styles.note}>
        {stateWords(drafted)}
      </p>
      {drafted.state === 'changed' && drafted.changes.length > 0 ? (
        <ChangesTable changes={drafted.changes} label="What changes" />
      ) : null}
      {needs === null ? null : <AdminNote needs={needs} />}
      <div className={styles.buttons}>
        <ActionButton
          needs={needs !== null && needs.surely.length > 0 ? 'admin' : 'operator'}
          kind="main"
          obstacle={drafted.state === 'changed' ? null : stateWords(drafted)}
          onClick={() => {
            if (drafted.state === 'changed') onReview(drafted);
          }}
        >
          Review and resubmit
        </ActionButton>
        <button
          type="button"
          onClick={() => {
            kept.drop();
            onClose();
          }}
        >
          Leave it
        </button>
      </div>
    </Panel>
  );
}
