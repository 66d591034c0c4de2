import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiPages } from '../api/queries.js';
import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { TimeText } from '../components/time-text.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { expectationOf } from './forecast.js';
import { detailText, type ItemState, itemStateNames, itemStates } from './progress.js';
import type { Replay } from './replay-filter.js';
import styles from './replays.module.css';

type Item = Answer<'/replays/{id}/items'>['items'][number];

const isItemState = (text: string | undefined): text is ItemState => itemStates.some((state) => state === text);

const columns: readonly Column<Item>[] = [
  {
    id: 'intent',
    header: 'Intent',
    width: 'minmax(140px, 2fr)',
    cell: ({ intent }) => (
      <Link to="/intents/$id" params={{ id: intent }}>
        {decodeURIComponent(intent)}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Result',
    width: 'minmax(96px, 112px)',
    cell: ({ state }) => (
      <span className={styles.itemState} data-state={state}>
        {isItemState(state) ? itemStateNames[state] : state}
      </span>
    ),
  },
  {
    id: 'detail',
    header: 'Why',
    width: 'minmax(160px, 2fr)',
    isMinor: true,
    cell: ({ detail }) => <span title={detail ?? ''}>{detailText(detail)}</span>,
  },
  {
    id: 'forecast',
    header: 'Expected',
    width: 'minmax(150px, 1fr)',
    isMinor: true,
    cell: ({ forecast }) => <span title={expectationOf(forecast).meaning}>{expectationOf(forecast).short}</span>,
  },
  {
    id: 'overtaken',
    header: 'Later ones gone',
    width: '112px',
    align: 'end',
    isMinor: true,
    cell: ({ overtaken }) => (overtaken === 0 ? '–' : overtaken.toLocaleString('en')),
  },
  { id: 'sent', header: 'Requeued', width: '104px', isMinor: true, cell: ({ sentAt }) => <TimeText at={sentAt} /> },
];

interface FilterProps {
  readonly replay: Replay;
  readonly chosen: ItemState | null;
  readonly onChoose: (state: ItemState | null) => void;
}

function ResultFilter({ replay, chosen, onChoose }: FilterProps): ReactNode {
  const button = (state: ItemState | null, name: string, count: number): ReactNode => (
    <button
      key={name}
      type="button"
      aria-pressed={chosen === state}
      className={styles.tab}
      onClick={() => onChoose(state)}
    >
      {name} <span className={styles.about}>{count.toLocaleString('en')}</span>
    </button>
  );
  const shown = itemStates.filter((state) => (replay.byState[state] ?? 0) > 0 || state === chosen);
  return (
    <div role="group" aria-label="Which results" className={styles.tabs}>
      {button(null, 'all', replay.items)}
      {shown.map((state) => button(state, itemStateNames[state], replay.byState[state] ?? 0))}
    </div>
  );
}

/** While it runs its items are read again at most so often, and only after some have moved. */
const rereadEveryMs = 2_000;
/** Of a list that somebody has read further than this, only when they ask for it, and when it ends. */
const rereadRowsMax = 500;

/** Reads what is listed again, where it is, as items move. */
function useRereading(replay: Replay, { rows, query }: { readonly rows: number; readonly query: object }): void {
  const client = useQueryClient();
  const { id, state, byState } = replay;
  const stands = JSON.stringify([state, byState]);
  const read = useRef({ stands, state, atMs: 0 });
  useEffect(() => {
    if (read.current.stands === stands) return undefined;
    // How it ended is of interest, however long the list is.
    const isWanted = rows <= rereadRowsMax || read.current.state !== state;
    if (!isWanted) return undefined;
    const waitMs = Math.max(0, read.current.atMs + rereadEveryMs - Date.now());
    const timer = setTimeout(() => {
      read.current = { stands, state, atMs: Date.now() };
      const { queryKey } = apiPages('/replays/{id}/items', { params: { id }, query });
      void client.invalidateQueries({ queryKey });
    }, waitMs);
    return () => clearTimeout(timer);
  }, [client, id, query, rows, stands, state]);
}

/** What came of each one. */
export function ReplayItems({ replay }: { readonly replay: Replay }): ReactNode {
  const navigate = useNavigate();
  const [texts, change] = useSearchTexts();
  const chosen = isItemState(texts.result) ? texts.result : null;
  const { id, state } = replay;
  const query = useMemo(() => (chosen === null ? {} : { state: chosen }), [chosen]);
  const list = usePages('/replays/{id}/items', { params: { id }, query });
  useRereading(replay, { rows: list.rows.length, query });
  return (
    <section aria-label="Intents of this replay" className={styles.items}>
      <div className={styles.itemsHead}>
        <h2>{state === 'planned' ? 'All that are selected' : 'What came of each'}</h2>
        <ResultFilter replay={replay} chosen={chosen} onChoose={(result) => change({ result })} />
        {state === 'planned' ? null : (
          <button type="button" onClick={list.refresh}>
            Read again
          </button>
        )}
      </div>
      <DataTable
        label="Intents of this replay"
        columns={columns}
        list={list}
        rowId={({ intent }) => intent}
        onOpen={({ intent }) => void navigate({ to: '/intents/$id', params: { id: intent } })}
        empty={<EmptyState title="None">No intent of this replay stands so.</EmptyState>}
      />
    </section>
  );
}
