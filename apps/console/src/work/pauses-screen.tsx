import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { ActionButton } from '../components/action-button.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { MaskedValue } from '../components/masked-value.js';
import { PageHeader } from '../components/page-header.js';
import { PlainTable } from '../components/plain-table.js';
import { Reading } from '../components/reading.js';
import { TimeText } from '../components/time-text.js';
import { useGroups } from '../failures/use-groups.js';
import { whyNot } from '../session/permissions.js';
import { useMe } from '../session/session-store.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { PauseDialog } from './pause-dialogs.js';
import { PauseCauses, ResumeDialog } from './resume-dialog.js';
import { asideCount, heldCount, type Pause, scopeKey, scopeText, whyNotResumed } from './pause-words.js';

function Held({ pause }: { readonly pause: Pause }): ReactNode {
  const { data } = useQuery(apiQuery('/stats', {}));
  const { data: groups } = useGroups();
  if (data === undefined || groups === undefined) return null;
  const { program, operation, factor } = pause;
  // What waits behind it in its lane is counted with the rest of its operation only.
  const which = factor === null ? { status: 'pending' } : { status: 'parked', reason: 'held', code: factor };
  return (
    <Link
      to="/intents"
      search={{ ...which, ...(program === null ? {} : { program }), ...(operation === null ? {} : { operation }) }}
    >
      {(factor === null ? heldCount(data, pause) : asideCount(pause, groups.items)).toLocaleString('en')}
    </Link>
  );
}

function Reason({ pause }: { readonly pause: Pause }): ReactNode {
  return (
    <>
      <MaskedValue text={pause.reason} />
      {pause.automatic ? (
        <p>
          <PauseCauses pause={pause} />
        </p>
      ) : null}
    </>
  );
}

function PauseTable({
  pauses,
  onResume,
}: {
  readonly pauses: readonly Pause[];
  readonly onResume: (pause: Pause) => void;
}): ReactNode {
  const { limitedTo } = useMe();
  return (
    <PlainTable
      label="What is paused"
      rows={pauses}
      rowId={scopeKey}
      columns={[
        { id: 'scope', header: 'Paused', cell: scopeText },
        { id: 'since', header: 'Since', cell: ({ since }) => <TimeText at={since} /> },
        {
          id: 'until',
          header: 'Until',
          cell: ({ until, automatic }) =>
            until !== null ? <TimeText at={until} mayCome /> : automatic ? 'the partner serves it' : 'it is resumed',
        },
        { id: 'held', header: 'Held', isMinor: true, cell: (pause) => <Held pause={pause} /> },
        {
          id: 'by',
          header: 'By',
          isMinor: true,
          cell: ({ by, automatic }) => (automatic ? 'delivery itself' : <MaskedValue text={by} />),
        },
        { id: 'reason', header: 'Why', cell: (pause) => <Reason pause={pause} /> },
        {
          id: 'resume',
          header: 'Resume',
          cell: (pause) => (
            <ActionButton needs="operator" obstacle={whyNotResumed(pause, limitedTo)} onClick={() => onResume(pause)}>
              Resume<span className="unseen"> {scopeText(pause)}</span>
            </ActionButton>
          ),
        },
      ]}
    />
  );
}

interface PauseListProps {
  readonly pauses: readonly Pause[];
  readonly readAtMs: number;
  readonly onResume: (pause: Pause) => void;
}

function PauseList({ pauses, readAtMs, onResume }: PauseListProps): ReactNode {
  if (pauses.length > 0) return <PauseTable pauses={pauses} onResume={onResume} />;
  return (
    <EmptyState title="Nothing is paused" goodAsOfMs={readAtMs}>
      Delivery holds calls by itself where the partner fails all that have something in common; then they are listed
      here.
    </EmptyState>
  );
}

/** What is not sent at the moment, since somebody or delivery itself said so; `begin=pause` in the address begins one. */
export function PausesScreen(): ReactNode {
  const { data, dataUpdatedAt, error, refetch } = useQuery(apiQuery('/pauses', {}));
  const [{ begin, program, operation, factor }, change] = useSearchTexts();
  const [resumed, setResumed] = useState<Pause | null>(null);
  const me = useMe();
  const isPausing = begin === 'pause' && whyNot(me, 'operator') === null;
  return (
    <>
      <PageHeader
        title="Pauses"
        about="What is held back. Events go on being recorded; nothing is lost, and no tries are used up."
      >
        <ActionButton needs="operator" onClick={() => change({ begin: 'pause' })}>
          Pause
        </ActionButton>
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Reading /> : null}
      {data === undefined ? null : <PauseList pauses={data.items} readAtMs={dataUpdatedAt} onResume={setResumed} />}
      {isPausing ? (
        <PauseDialog
          begun={{ program, operation, factor }}
          onClose={() => change({ begin: null, program: null, operation: null, factor: null })}
        />
      ) : null}
      {resumed === null ? null : (
        <ResumeDialog pause={resumed} pauses={data?.items ?? []} onClose={() => setResumed(null)} />
      )}
    </>
  );
}
