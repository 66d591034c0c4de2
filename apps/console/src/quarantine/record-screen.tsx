import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiPost } from '../api/client.js';
import { apiQuery } from '../api/queries.js';
import { ActionButton } from '../components/action-button.js';
import { ActionDialog } from '../components/action-dialog.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Facts } from '../components/facts.js';
import { Money } from '../components/money.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { useUnmasked } from '../components/use-unmasked.js';
import { ListNeighbours } from '../intents/list-neighbours.js';
import { ContentPanels } from './content-panels.js';
import { CorrectionPanel } from './correction-panel.js';
import { OfAllPrograms } from './of-all-programs.js';
import { OutcomePanel } from './outcome-panel.js';
import { placeText } from './quarantine-filter.js';
import { erasesMember } from './record-changes.js';
import { decodeRecord } from './record-content.js';
import { type RecordAction, RecordActions } from './record-actions.js';
import styles from './record-screen.module.css';
import { RefusalPanel } from './refusal-panel.js';

type RecordDetails = Answer<'/quarantine/{id}'>;
type UnmaskedRecord = Answer<'/quarantine/{id}/unmask', 'post'>;

function PlacePanel({ record }: { readonly record: RecordDetails }): ReactNode {
  const { reason, cause } = record;
  return (
    <Panel title="Where it came from">
      <Facts
        items={[
          { name: 'Place', value: placeText(record) },
          { name: 'Size', value: `${record.bytes.toLocaleString('en')} bytes` },
          { name: 'Produced', value: <TimeText at={record.producedAt} isLong /> },
          { name: 'Set aside', value: <TimeText at={record.recordedAt} isLong /> },
          {
            name: 'At stake',
            value: record.amount === null ? '–' : <Money of={[record.amount]} />,
          },
          {
            name: 'Others like it',
            value: (
              <Link to="/quarantine" search={{ reason, cause }}>
                open ones refused as {reason} by the same rule
              </Link>
            ),
          },
        ]}
      />
    </Panel>
  );
}

interface UnmaskProps {
  readonly record: RecordDetails;
  readonly onClose: () => void;
  readonly onUnmasked: (record: UnmaskedRecord) => void;
}

function Unmask({ record, onClose, onUnmasked }: UnmaskProps): ReactNode {
  const id = String(record.id);
  return (
    <ActionDialog
      action="Show what is personal"
      effect={{ words: `Record ${id} as it arrived, shown on this page for a minute.` }}
      undo="The audit keeps that you saw it, with your name and reason."
      perform={async (reason) => apiPost('/quarantine/{id}/unmask', { params: { id }, body: { reason } })}
      done="What is personal is shown"
      onClose={onClose}
      onDone={onUnmasked}
    />
  );
}

function UnmaskButton({
  record,
  onClick,
}: {
  readonly record: RecordDetails;
  readonly onClick: () => void;
}): ReactNode {
  const { encoding, isReadable } = record;
  const obstacle = isReadable ? null : 'No key opens its bytes any more.';
  return (
    <ActionButton
      needs="admin"
      obstacle={encoding === 'batch' ? 'Of a whole record batch there is nothing to show.' : obstacle}
      onClick={onClick}
    >
      Unmask
    </ActionButton>
  );
}

interface ShownProps {
  readonly record: RecordDetails;
  readonly unmasked: ReturnType<typeof useUnmasked<UnmaskedRecord>>;
  /** Stands between the two. */
  readonly children: ReactNode;
}

/** Why it was refused and what came, with what an admin has asked to see. */
function Shown({ record, unmasked: { values, secondsLeft, hide }, children }: ShownProps): ReactNode {
  const content = values ?? record;
  return (
    <>
      {values === null ? null : (
        <p role="status" className={styles.unmasked}>
          What is personal is shown, and hidden again in {secondsLeft} s.{' '}
          <button type="button" onClick={hide}>
            Hide now
          </button>
        </p>
      )}
      <RefusalPanel refusal={record} content={content} />
      {children}
      <ContentPanels content={content} />
    </>
  );
}

interface ActionsProps {
  readonly record: RecordDetails;
  readonly onAction: (action: RecordAction) => void;
  readonly onCorrect: () => void;
}

function Actions({ record, onAction, onCorrect }: ActionsProps): ReactNode {
  const { state, encoding, isReadable } = record;
  const settled = state === 'open' ? null : `It was ${state}: that is final.`;
  const erases = erasesMember(decodeRecord(record)?.event);
  const lost = isReadable ? null : 'No key opens its bytes: only a whole correction can be taken in.';
  return (
    <>
      <ActionButton
        needs={erases ? 'admin' : 'operator'}
        obstacle={settled ?? lost}
        onClick={() => onAction({ kind: 'resubmit', drafted: null })}
      >
        Resubmit
      </ActionButton>
      <ActionButton
        needs="operator"
        obstacle={settled ?? (encoding === 'batch' ? 'A whole record batch cannot be corrected.' : null)}
        onClick={onCorrect}
      >
        Correct
      </ActionButton>
      <ActionButton needs="operator" obstacle={settled} onClick={() => onAction({ kind: 'discard' })}>
        Discard
      </ActionButton>
    </>
  );
}

function RecordAtHand(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const client = useQueryClient();
  const { data: record, error, refetch } = useQuery(apiQuery('/quarantine/{id}', { params: { id } }));
  const [action, setAction] = useState<RecordAction | null>(null);
  const [isCorrecting, setCorrecting] = useState(false);
  const [isUnmasking, setUnmasking] = useState(false);
  const unmasked = useUnmasked<UnmaskedRecord>();
  const onDone = (): void => {
    setCorrecting(false);
    void client.invalidateQueries({ queryKey: ['/quarantine/{id}'] });
    void client.resetQueries({ queryKey: ['/quarantine'] });
  };
  return (
    <>
      <ListNeighbours id={id} to="/quarantine/$id" />
      <PageHeader
        title={`Record ${id}`}
        about={
          <>
            <Link to="/quarantine">Quarantine</Link>
            {record === undefined ? null : `, ${record.state}`}
          </>
        }
      >
        {record === undefined ? null : (
          <>
            <Actions record={record} onAction={setAction} onCorrect={() => setCorrecting(true)} />
            <UnmaskButton record={record} onClick={() => setUnmasking(true)} />
          </>
        )}
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {record === undefined ? null : (
        <>
          <OutcomePanel record={record} />
          <Shown record={record} unmasked={unmasked}>
            {isCorrecting && record.state === 'open' ? (
              <CorrectionPanel
                record={record}
                onReview={(drafted) => setAction({ kind: 'resubmit', drafted })}
                onClose={() => setCorrecting(false)}
              />
            ) : null}
          </Shown>
          <PlacePanel record={record} />
          {isUnmasking ? (
            <Unmask record={record} onClose={() => setUnmasking(false)} onUnmasked={unmasked.show} />
          ) : null}
          {action === null ? null : (
            <RecordActions record={record} action={action} onClose={() => setAction(null)} onDone={onDone} />
          )}
        </>
      )}
    </>
  );
}

/** One record that could not be taken in: what came, why it was refused, and what can be done. */
export function RecordScreen(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  return (
    <OfAllPrograms>
      {/* What was typed or unmasked of another record is gone with it. */}
      <RecordAtHand key={id} />
    </OfAllPrograms>
  );
}
