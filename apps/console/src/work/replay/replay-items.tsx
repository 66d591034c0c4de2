import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';

import type { Answer } from '../../api/api-types.js';
import { apiPages } from '../../api/queries.js';
import { usePages } from '../../api/use-pages.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Money } from '../../components/money.js';
import { capital, operationName } from '../../components/operation-words.js';
import { TimeText } from '../../components/time-text.js';
import { useSearchTexts } from '../../shell/use-search-texts.js';
import { expectationOf } from './forecast.js';
import { detailText, type ItemState, itemStateNames, itemStates, overtakenText } from './progress.js';
import { isRecordKind } from '../job-kinds.js';
import { filterOfReplay, type Replay } from './replay-filter.js';
import styles from './replays.module.css';

type Item = Answer<'/jobs/{id}/items'>['items'][number];

const isItemState = (text: string | undefined): text is ItemState => itemStates.some((state) => state === text);

/** A purchase by its number, anything else by its kind. */
function whatOf({ purchaseId, operation }: Item): string {
  if (purchaseId !== null) return purchaseId;
  return operation === null ? '–' : capital(operationName(operation, 1));
}

const Text = ({ children }: { readonly children: string }): ReactNode => <span title={children}>{children}</span>;

interface IntentLinkProps {
  readonly intent: string;
  /** That all of them are of: what says nothing is left out. */
  readonly program: string | undefined;
}

function IntentLink({ intent, program }: IntentLinkProps): ReactNode {
  const id = decodeURIComponent(intent);
  const start = `${program ?? ''}~`;
  return (
    <Link to="/intents/$id" params={{ id: intent }} title={id}>
      {id.startsWith(start) ? id.slice(start.length) : id}
    </Link>
  );
}

const intentColumn = (program: string | undefined): Column<Item> => ({
  id: 'intent',
  header: 'Intent',
  width: 'minmax(104px, 1.4fr)',
  cell: ({ intent }) => (intent === null ? '–' : <IntentLink intent={intent} program={program} />),
});

const recordColumn: Column<Item> = {
  id: 'record',
  header: 'Record',
  width: '80px',
  cell: ({ record }) =>
    record === null ? (
      '–'
    ) : (
      <Link to="/quarantine/$id" params={{ id: String(record) }}>
        {record}
      </Link>
    ),
};

/** Which one it is. */
const identityOf = (first: readonly Column<Item>[]): readonly Column<Item>[] => [
  ...first,
  {
    id: 'what',
    header: 'Purchase',
    width: 'minmax(96px, 1.2fr)',
    isMinor: true,
    cell: (item) => <Text>{whatOf(item)}</Text>,
  },
  {
    id: 'store',
    header: 'Store',
    width: 'minmax(80px, 0.8fr)',
    isMinor: true,
    cell: ({ storeId }) => <Text>{storeId ?? '–'}</Text>,
  },
  { id: 'amount', header: 'Amount', width: '104px', align: 'end', cell: ({ amount }) => <Money of={amount} /> },
];

const expected: Column<Item> = {
  id: 'forecast',
  header: 'Expected',
  width: 'minmax(150px, 1fr)',
  isMinor: true,
  cell: ({ forecast }) => <span title={expectationOf(forecast).meaning}>{expectationOf(forecast).short}</span>,
};

const before: Column<Item> = {
  id: 'overtaken',
  header: 'In its member’s order',
  width: 'minmax(168px, 1.4fr)',
  isMinor: true,
  cell: ({ overtaken }) => <Text>{overtakenText(overtaken)}</Text>,
};

const outcome: readonly Column<Item>[] = [
  {
    id: 'state',
    header: 'Result',
    width: '104px',
    cell: ({ state }) => (
      <span className={styles.itemState} data-state={state}>
        {isItemState(state) ? itemStateNames[state] : state}
      </span>
    ),
  },
  {
    id: 'detail',
    header: 'Why',
    width: 'minmax(120px, 1.6fr)',
    isMinor: true,
    cell: ({ detail }) => <Text>{detailText(detail)}</Text>,
  },
  { id: 'sent', header: 'Requeued', width: '104px', isMinor: true, cell: ({ sentAt }) => <TimeText at={sentAt} /> },
];

interface Shown {
  /** Before it is started nothing has a result. */
  readonly isPlanned: boolean;
  /** What is expected of all alike is said once, above. */
  readonly isMixed: boolean;
  readonly program: string | undefined;
  /** Of records that were set aside: what came of each is an intent. */
  readonly isOfRecords: boolean;
}

function columnsOf({ isPlanned, isMixed, program, isOfRecords }: Shown): readonly Column<Item>[] {
  if (isOfRecords) {
    const [state, detail] = outcome;
    const [which, what] = [identityOf([recordColumn]), identityOf([recordColumn, intentColumn(program)])];
    return isPlanned
      ? [...which, expected, ...(detail === undefined ? [] : [detail])]
      : [...what, ...[state, detail].flatMap((one) => one ?? [])];
  }
  const identity = identityOf([intentColumn(program)]);
  if (!isPlanned) return [...identity, ...outcome];
  return isMixed ? [...identity, expected, before] : [...identity, before];
}

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
      const { queryKey } = apiPages('/jobs/{id}/items', { params: { id }, query });
      void client.invalidateQueries({ queryKey });
    }, waitMs);
    return () => clearTimeout(timer);
  }, [client, id, query, rows, stands, state]);
}

const pathOf = ({ intent, record }: Item): readonly string[] =>
  intent === null ? ['quarantine', String(record)] : ['intents', intent];

/** What came of each one. */
export function ReplayItems({ replay }: { readonly replay: Replay }): ReactNode {
  const navigate = useNavigate();
  const [texts, change] = useSearchTexts();
  const chosen = isItemState(texts.result) ? texts.result : null;
  const { id, state, byForecast } = replay;
  const isPlanned = state === 'planned';
  const isMixed = Object.keys(byForecast).length > 1;
  const { program } = filterOfReplay(replay);
  const isOfRecords = isRecordKind(replay.kind);
  const columns = useMemo(
    () => columnsOf({ isPlanned, isMixed, program, isOfRecords }),
    [isPlanned, isMixed, program, isOfRecords],
  );
  const label = isOfRecords ? 'Records of this job' : 'Intents of this job';
  const query = useMemo(() => (chosen === null ? {} : { state: chosen }), [chosen]);
  const list = usePages('/jobs/{id}/items', { params: { id }, query });
  useRereading(replay, { rows: list.rows.length, query });
  return (
    <section aria-label={label} className={styles.items}>
      <div className={styles.itemsHead}>
        <h2>{isPlanned ? 'All that are selected, in the order in which they go' : 'What came of each'}</h2>
        {isPlanned ? null : (
          <>
            <ResultFilter replay={replay} chosen={chosen} onChoose={(result) => change({ result })} />
            <button type="button" onClick={list.refresh}>
              Reload
            </button>
          </>
        )}
      </div>
      <DataTable
        label={label}
        columns={columns}
        list={list}
        rowId={({ intent, record }) => intent ?? String(record)}
        pathOf={pathOf}
        onOpen={({ intent, record }) => {
          if (intent !== null) void navigate({ to: '/intents/$id', params: { id: intent } });
          else void navigate({ to: '/quarantine/$id', params: { id: String(record) } });
        }}
        empty={() => <EmptyState title="None">None of this job is in this state.</EmptyState>}
      />
    </section>
  );
}
