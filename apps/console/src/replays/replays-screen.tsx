import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';

import { apiQuery } from '../api/queries.js';
import { type Column, DataTable } from '../components/data-table.js';
import { DeedButton } from '../components/deed-button.js';
import { EmptyState } from '../components/empty-state.js';
import { Money } from '../components/money.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import { type Preferences, usePreferences } from '../shell/preferences.js';
import { progressOf } from './progress.js';
import { filterOfReplay, type Replay, selectionText } from './replay-filter.js';
import { ReplayState } from './replay-state.js';
import styles from './replays.module.css';

/** So many does the daemon list. */
const listedMax = 200;

const figure = (count: number): string => count.toLocaleString('en');

function Failed({ replay }: { readonly replay: Replay }): ReactNode {
  const { parked = 0 } = replay.byState;
  return parked === 0 ? '–' : <strong className={styles.failed}>{figure(parked)}</strong>;
}

/** A replay is known by what it sends: its id only says when it was made. */
function Named({
  replay,
  timeZone,
}: {
  readonly replay: Replay;
  readonly timeZone: Preferences['timeZone'];
}): ReactNode {
  const { id } = replay;
  const text = selectionText(filterOfReplay(replay), timeZone);
  return (
    <Link to="/replays/$id" params={{ id }} title={`${text} (${id})`}>
      {text}
    </Link>
  );
}

const columnsOf = (timeZone: Preferences['timeZone']): readonly Column<Replay>[] => [
  {
    id: 'query',
    header: 'Selection',
    width: 'minmax(120px, 3fr)',
    cell: (replay) => <Named replay={replay} timeZone={timeZone} />,
  },
  { id: 'state', header: 'State', width: '80px', cell: ({ state }) => <ReplayState state={state} /> },
  {
    id: 'ended',
    header: 'Ended',
    // `1,200 of 4,000` where there is room.
    width: 'minmax(72px, 8vw)',
    align: 'end',
    cell: (replay) =>
      replay.state === 'planned'
        ? `0 of ${figure(replay.items)}`
        : `${figure(progressOf(replay).ended)} of ${figure(replay.items)}`,
  },
  {
    id: 'failed',
    header: 'Failed again',
    width: '88px',
    align: 'end',
    isMinor: true,
    cell: (replay) => <Failed replay={replay} />,
  },
  {
    id: 'money',
    header: 'At stake',
    width: 'minmax(104px, 0.8fr)',
    align: 'end',
    isMinor: true,
    cell: ({ money }) => <Money of={money} />,
  },
  {
    id: 'reason',
    header: 'Why',
    width: 'minmax(120px, 2.4fr)',
    isMinor: true,
    cell: ({ reason, startReason }) => <span title={startReason ?? reason}>{startReason ?? reason}</span>,
  },
  {
    id: 'by',
    header: 'By',
    width: '80px',
    isMinor: true,
    cell: ({ createdBy, startedBy }) => <span title={startedBy ?? createdBy}>{startedBy ?? createdBy}</span>,
  },
  { id: 'at', header: 'Planned', width: '104px', isMinor: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
];

const nothing = (): void => undefined;

export function ReplaysScreen(): ReactNode {
  const navigate = useNavigate();
  const { timeZone } = usePreferences();
  const columns = useMemo(() => columnsOf(timeZone), [timeZone]);
  const { data, error, isFetching, refetch } = useQuery(apiQuery('/replays', {}));
  const rows = data?.items ?? [];
  const read = (): void => {
    if (!isFetching) void refetch();
  };
  const list = {
    rows,
    hasMore: false,
    isLoading: data === undefined && isFetching,
    error,
    emptyPages: 0,
    loadMore: read,
    refresh: nothing,
  };
  return (
    <>
      <PageHeader
        title="Replays"
        about={`What was sent once more, and what was planned${rows.length === listedMax ? ': the newest 200' : ''}`}
      >
        <DeedButton needs="operator" kind="main" onClick={() => void navigate({ to: '/replays/new' })}>
          New replay
        </DeedButton>
      </PageHeader>
      <DataTable
        label="Replays"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/replays/$id', params: { id } })}
        empty={
          <EmptyState title="Nothing was replayed yet">
            A group of failures has the button that plans one: its causes are listed under{' '}
            <Link to="/failures">Failures</Link>.
          </EmptyState>
        }
      />
    </>
  );
}
