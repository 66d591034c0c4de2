import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';

import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { ActionButton } from '../components/action-button.js';
import { EmptyState } from '../components/empty-state.js';
import { FilterBar, FilterChoice, FilterText, FilterTime } from '../components/filter-bar.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { CauseTable } from './cause-table.js';
import { OfAllPrograms } from './of-all-programs.js';
import {
  filterWords,
  listQueryOf,
  manyQueryOf,
  noFilters,
  placeText,
  type QuarantinedRecord,
  type ListedState,
  listedStates,
  stateOf,
} from './quarantine-filter.js';
import styles from './quarantine-screen.module.css';
import { OpenCount, RecordCounts } from './record-counts.js';
import { detailWords, refusalReasons, refusalWords } from './refusal-words.js';

const columns: readonly Column<QuarantinedRecord>[] = [
  {
    id: 'id',
    header: 'Record',
    width: '64px',
    cell: ({ id }) => (
      <Link to="/quarantine/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    id: 'reason',
    header: 'Refused as',
    width: '136px',
    cell: ({ reason }) => <span title={refusalWords(reason).means}>{reason}</span>,
  },
  {
    id: 'detail',
    header: 'Detail',
    width: 'minmax(120px, 1fr)',
    cell: (record) => <span title={record.detail}>{detailWords(record)}</span>,
  },
  {
    id: 'place',
    header: 'Where',
    width: '180px',
    isMinor: true,
    cell: (record) => <span title={placeText(record)}>{placeText(record)}</span>,
  },
  {
    id: 'source',
    header: 'Source',
    width: 'minmax(96px, 0.6fr)',
    isMinor: true,
    cell: ({ source, store }) => <span title={store === null ? '' : `of store ${store}`}>{source ?? '–'}</span>,
  },
  {
    id: 'at',
    header: 'Set aside',
    width: '120px',
    isMinor: true,
    cell: ({ recordedAt }) => <TimeText at={recordedAt} />,
  },
];

const pathOf = ({ id }: QuarantinedRecord): readonly string[] => ['quarantine', String(id)];
const stateOptions = listedStates.map((state) => ({ value: state, text: state }));
const reasonOptions = [
  { value: '', text: 'any' },
  ...refusalReasons.map((reason) => ({ value: reason, text: reason })),
];

const rareTexts = [
  ['memberId', 'Member'],
  ['purchaseId', 'Receipt or other number'],
  ['topic', 'Topic'],
  ['source', 'Source'],
  ['store', 'Store'],
  ['program', 'Program'],
] as const;

function RareFilters(): ReactNode {
  const [texts, change] = useSearchTexts();
  return (
    <>
      {rareTexts.map(([name, label]) => (
        <FilterText key={name} label={label} value={texts[name] ?? ''} onChange={(text) => change({ [name]: text })} />
      ))}
      <FilterTime label="Set aside from" value={texts.from ?? ''} onChange={(from) => change({ from })} />
      <FilterTime label="Set aside before" value={texts.to ?? ''} onChange={(to) => change({ to })} />
    </>
  );
}

const isRareSet = (texts: SearchTexts): boolean =>
  [...rareTexts.map(([name]) => name), 'from', 'to'].some((name) => texts[name] !== undefined);

/** The usual ones in sight, the others a click away, unless one of them counts. */
function Filters(): ReactNode {
  const [texts, change] = useSearchTexts();
  const [isWanted, setWanted] = useState(false);
  const isOpen = isWanted || isRareSet(texts);
  const query = manyQueryOf(texts);
  const clear = (): void => change(noFilters);
  return (
    <FilterBar label="Records set aside" onClear={filterWords(query) === null ? undefined : clear}>
      <FilterChoice
        label="State"
        value={stateOf(texts)}
        options={stateOptions}
        onChange={(state) => change({ state: state === 'open' ? null : state })}
      />
      <FilterChoice
        label="Refused as"
        value={texts.reason ?? ''}
        options={reasonOptions}
        onChange={(reason) => change({ reason })}
      />
      <FilterText label="Detail has" value={texts.detail ?? ''} onChange={(detail) => change({ detail })} />
      {isOpen ? <RareFilters /> : null}
      {isRareSet(texts) ? null : (
        <button type="button" aria-expanded={isOpen} onClick={() => setWanted(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
      )}
    </FilterBar>
  );
}

interface NothingProps {
  readonly state: string;
  readonly isFiltered: boolean;
  readonly readAtMs: number;
}

function Nothing({ state, isFiltered, readAtMs }: NothingProps): ReactNode {
  if (isFiltered) {
    return <EmptyState title="No record fits these filters">Take some away, or widen the time.</EmptyState>;
  }
  if (state === 'any') return <EmptyState title="No record was ever set aside" goodAsOfMs={readAtMs} />;
  if (state !== 'open') return <EmptyState title={`No record was ${state}`} />;
  return (
    <EmptyState title="Nothing is set aside" goodAsOfMs={readAtMs}>
      Every record that came in could be read and routed, or has been dealt with.
    </EmptyState>
  );
}

interface Listed {
  readonly state: ListedState;
  readonly isFiltered: boolean;
  readonly isEmpty: boolean;
}

/** Why many cannot be dealt with at once; null: they can. */
function manyObstacle({ state, isFiltered, isEmpty }: Listed): string | null {
  if (state !== 'open') return 'Only open records can be dealt with.';
  if (isEmpty) return 'There is no such record.';
  return isFiltered ? null : 'Choose first which: by why they were refused, or by another filter.';
}

function Records(): ReactNode {
  const [texts] = useSearchTexts();
  const navigate = useNavigate();
  const list = usePages('/quarantine', { query: listQueryOf(texts) });
  const state = stateOf(texts);
  const query = manyQueryOf(texts);
  const reason = texts.reason === undefined ? null : refusalWords(texts.reason);
  const client = useQueryClient();
  const refresh = (): void => {
    list.refresh();
    void client.invalidateQueries({ queryKey: ['/quarantine/count'] });
    void client.invalidateQueries({ queryKey: ['/quarantine/causes'] });
  };
  const isFiltered = filterWords(query) !== null;
  const begin = (kind: 'resubmit' | 'discard'): void => {
    const { state: _state, ...filters } = texts;
    void navigate({ to: '/jobs/many/new', search: { ...filters, kind } });
  };
  const obstacle = manyObstacle({ state, isFiltered, isEmpty: list.rows.length === 0 });
  return (
    <>
      <PageHeader
        title="Quarantine"
        about={
          <>
            {state === 'open' ? <OpenCount /> : null}Records that could not be taken in. The partition went on; nobody
            else waits for them.
          </>
        }
      >
        <ActionButton needs="operator" obstacle={obstacle} onClick={() => begin('resubmit')}>
          Resubmit all of these
        </ActionButton>
        <ActionButton needs="operator" obstacle={obstacle} onClick={() => begin('discard')}>
          Discard all of these
        </ActionButton>
        <button type="button" data-kind="plain" onClick={refresh}>
          Reload
        </button>
      </PageHeader>
      <Filters />
      {state === 'open' ? <RecordCounts /> : null}
      {state === 'open' ? <CauseTable /> : null}
      {reason === null ? null : (
        <p className={styles.note}>
          {reason.means} {reason.helps}
        </p>
      )}
      <DataTable
        label="Records set aside"
        columns={columns}
        list={list}
        rowId={({ id }) => String(id)}
        pathOf={pathOf}
        onOpen={({ id }) => void navigate({ to: '/quarantine/$id', params: { id: String(id) } })}
        empty={(readAtMs) => <Nothing state={state} isFiltered={isFiltered} readAtMs={readAtMs} />}
      />
    </>
  );
}

/** Source records that could not become intents. */
export function QuarantineScreen(): ReactNode {
  return (
    <OfAllPrograms>
      <Records />
    </OfAllPrograms>
  );
}
