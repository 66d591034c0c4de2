import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { type Column, DataTable } from '../components/data-table.js';
import { DeedButton } from '../components/deed-button.js';
import { EmptyState } from '../components/empty-state.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import { progressOf } from './progress.js';
import { filterOfReplay, filterText, type Replay } from './replay-filter.js';
import { ReplayState } from './replay-state.js';

/** So many does the daemon list. */
const listedMax = 200;

const columns: readonly Column<Replay>[] = [
  {
    id: 'id',
    header: 'Replay',
    width: 'minmax(120px, 200px)',
    cell: ({ id }) => (
      <Link to="/replays/$id" params={{ id }}>
        {id}
      </Link>
    ),
  },
  { id: 'state', header: 'State', width: 'minmax(112px, 168px)', cell: ({ state }) => <ReplayState state={state} /> },
  {
    id: 'progress',
    header: 'Ended',
    width: '72px',
    align: 'end',
    isMinor: true,
    cell: (replay) => (replay.state === 'planned' ? '–' : `${progressOf(replay).percent} %`),
  },
  {
    id: 'items',
    header: 'Intents',
    width: 'minmax(56px, 72px)',
    align: 'end',
    cell: ({ items }) => items.toLocaleString('en'),
  },
  {
    id: 'failed',
    header: 'Failed again',
    width: '96px',
    align: 'end',
    isMinor: true,
    cell: ({ byState }) => (byState.parked ?? 0).toLocaleString('en'),
  },
  {
    id: 'query',
    header: 'Selection',
    width: 'minmax(140px, 2fr)',
    isMinor: true,
    cell: (replay) => <span title={filterText(filterOfReplay(replay))}>{filterText(filterOfReplay(replay))}</span>,
  },
  {
    id: 'reason',
    header: 'Why',
    width: 'minmax(120px, 2fr)',
    isMinor: true,
    cell: ({ reason, startReason }) => <span title={startReason ?? reason}>{startReason ?? reason}</span>,
  },
  {
    id: 'by',
    header: 'By',
    width: '88px',
    isMinor: true,
    cell: ({ createdBy, startedBy }) => startedBy ?? createdBy,
  },
  { id: 'at', header: 'Planned', width: '104px', isMinor: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
];

const nothing = (): void => undefined;

export function ReplaysScreen(): ReactNode {
  const navigate = useNavigate();
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
            A group of failures has the button that plans one: its causes are listed under Failures.
          </EmptyState>
        }
      />
    </>
  );
}
