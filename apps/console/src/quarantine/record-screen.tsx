import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { DeedButton } from '../components/deed-button.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Facts } from '../components/facts.js';
import { PageHeader } from '../components/page-header.js';
import { Panel } from '../components/panel.js';
import { TimeText } from '../components/time-text.js';
import { ContentPanels } from './content-panels.js';
import { CorrectionPanel } from './correction-panel.js';
import { OfAllPrograms } from './of-all-programs.js';
import { OutcomePanel } from './outcome-panel.js';
import { placeText } from './quarantine-filter.js';
import { erasesMember } from './record-changes.js';
import { decodeRecord } from './record-content.js';
import { type RecordDeed, RecordDeeds } from './record-deeds.js';
import { RefusalPanel } from './refusal-panel.js';

type RecordDetails = Answer<'/quarantine/{id}'>;

function PlacePanel({ record }: { readonly record: RecordDetails }): ReactNode {
  const { topic, reason } = record;
  return (
    <Panel title="Where it came from">
      <Facts
        items={[
          { name: 'Place', value: placeText(record) },
          { name: 'Size', value: `${record.bytes.toLocaleString('en')} bytes` },
          { name: 'Produced', value: <TimeText at={record.producedAt} isLong /> },
          { name: 'Set aside', value: <TimeText at={record.recordedAt} isLong /> },
          {
            name: 'Others like it',
            value: (
              <Link to="/quarantine" search={{ reason, topic }}>
                open ones of {topic}, refused as {reason}
              </Link>
            ),
          },
        ]}
      />
    </Panel>
  );
}

interface ActionsProps {
  readonly record: RecordDetails;
  readonly onDeed: (deed: RecordDeed) => void;
  readonly onCorrect: () => void;
}

function Actions({ record, onDeed, onCorrect }: ActionsProps): ReactNode {
  const { state, encoding, isReadable } = record;
  const settled = state === 'open' ? null : `It was ${state}: that is final.`;
  const erases = erasesMember(decodeRecord(record)?.event);
  const lost = isReadable ? null : 'No key opens its bytes: only a whole correction can be taken in.';
  return (
    <>
      <DeedButton
        needs={erases ? 'admin' : 'operator'}
        obstacle={settled ?? lost}
        onClick={() => onDeed({ kind: 'resubmit', drafted: null })}
      >
        Resubmit
      </DeedButton>
      <DeedButton
        needs="operator"
        obstacle={settled ?? (encoding === 'batch' ? 'A whole record batch cannot be corrected.' : null)}
        onClick={onCorrect}
      >
        Correct
      </DeedButton>
      <DeedButton needs="operator" obstacle={settled} onClick={() => onDeed({ kind: 'discard' })}>
        Discard
      </DeedButton>
    </>
  );
}

function RecordAtHand(): ReactNode {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const client = useQueryClient();
  const { data: record, error, refetch } = useQuery(apiQuery('/quarantine/{id}', { params: { id } }));
  const [deed, setDeed] = useState<RecordDeed | null>(null);
  const [isCorrecting, setCorrecting] = useState(false);
  const onDone = (): void => {
    setCorrecting(false);
    void client.invalidateQueries({ queryKey: ['/quarantine/{id}'] });
    void client.resetQueries({ queryKey: ['/quarantine'] });
  };
  return (
    <>
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
          <Actions record={record} onDeed={setDeed} onCorrect={() => setCorrecting(true)} />
        )}
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {record === undefined ? null : (
        <>
          <OutcomePanel record={record} />
          <RefusalPanel record={record} />
          {isCorrecting && record.state === 'open' ? (
            <CorrectionPanel
              record={record}
              onReview={(drafted) => setDeed({ kind: 'resubmit', drafted })}
              onClose={() => setCorrecting(false)}
            />
          ) : null}
          <ContentPanels content={record} />
          <PlacePanel record={record} />
          {deed === null ? null : (
            <RecordDeeds record={record} deed={deed} onClose={() => setDeed(null)} onDone={onDone} />
          )}
        </>
      )}
    </>
  );
}

/** One record that could not be taken in: what came, why it was refused, and what can be done. */
export function RecordScreen(): ReactNode {
  return (
    <OfAllPrograms>
      <RecordAtHand />
    </OfAllPrograms>
  );
}
