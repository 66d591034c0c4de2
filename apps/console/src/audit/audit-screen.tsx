import { type ReactNode, useEffect, useState } from 'react';

import { onAction } from '../api/stream.js';
import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { FilterBar, FilterChoice, FilterText, FilterTime } from '../components/filter-bar.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { actionWords, entryWords, knownActions, targetOf } from './action-words.js';
import { AuditTargetLink } from './audit-target.js';
import { type AuditEntry, EntryDialog } from './entry-dialog.js';

const columns: readonly Column<AuditEntry>[] = [
  { id: 'at', header: 'When', width: '96px', cell: ({ at }) => <TimeText at={at} /> },
  { id: 'actor', header: 'Who', width: 'minmax(56px, 0.5fr)', cell: ({ actor }) => actor },
  {
    id: 'action',
    header: 'Did what',
    width: 'minmax(112px, 1fr)',
    cell: (entry) => <span title={entry.action}>{entryWords(entry)}</span>,
  },
  {
    id: 'target',
    header: 'To',
    width: 'minmax(96px, 1fr)',
    isMinor: true,
    cell: (entry) => <AuditTargetLink target={targetOf(entry)} />,
  },
  {
    id: 'reason',
    header: 'Why',
    width: 'minmax(96px, 1fr)',
    isMinor: true,
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
];

const filterNames = ['actor', 'action', 'memberId', 'from', 'to'] as const;
type AuditFilters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** As the API is asked. */
function filtersOf(texts: Readonly<Record<string, string | undefined>>): AuditFilters {
  return Object.fromEntries(filterNames.flatMap((name) => (texts[name] === undefined ? [] : [[name, texts[name]]])));
}

function Filters(): ReactNode {
  const [texts, change] = useSearchTexts();
  const { actor = '', action = '', memberId = '', from = '', to = '' } = texts;
  const actions = action === '' || knownActions.includes(action) ? knownActions : [...knownActions, action];
  const options = actions.map((one) => ({ value: one, text: actionWords(one) }));
  const hasAny = Object.keys(filtersOf(texts)).length > 0;
  return (
    <FilterBar
      label="Audit"
      onClear={hasAny ? () => change(Object.fromEntries(filterNames.map((name) => [name, null]))) : undefined}
    >
      <FilterText label="Who" value={actor} onChange={(value) => change({ actor: value })} />
      <FilterChoice
        label="Did what"
        value={action}
        options={[
          { value: '', text: 'anything' },
          ...options.toSorted((one, other) => one.text.localeCompare(other.text)),
        ]}
        onChange={(value) => change({ action: value })}
      />
      <FilterText label="To member" value={memberId} onChange={(value) => change({ memberId: value })} />
      <FilterTime label="From" value={from} onChange={(value) => change({ from: value })} />
      <FilterTime label="Before" value={to} onChange={(value) => change({ to: value })} />
    </FilterBar>
  );
}

/** `from` and `to`, as `/audit` reads them. */
const isWithin = ({ from = '', to = '' }: AuditFilters, at: string): boolean =>
  !(Date.parse(at) < Date.parse(from)) && !(Date.parse(at) >= Date.parse(to));

const fits = (filters: AuditFilters, { at, actor, action, member }: AuditEntry): boolean =>
  (filters.actor ?? actor) === actor &&
  (filters.action ?? action) === action &&
  (filters.memberId === undefined || filters.memberId === member?.memberId) &&
  isWithin(filters, at);

/** How many actions that fit have come since the list was read. */
function useNews(filters: AuditFilters): readonly [number, () => void] {
  const [news, setNews] = useState(0);
  const key = JSON.stringify(filters);
  useEffect(
    () =>
      onAction((entry) => {
        if (fits(JSON.parse(key) as AuditFilters, entry)) setNews((count) => count + 1);
      }),
    [key],
  );
  return [news, () => setNews(0)];
}

/** Who did what, when and why. */
export function AuditScreen(): ReactNode {
  const [texts] = useSearchTexts();
  const query = filtersOf(texts);
  const list = usePages('/audit', { query });
  const [news, seen] = useNews(query);
  const [entry, setEntry] = useState<AuditEntry | null>(null);
  return (
    <>
      <PageHeader title="Audit" about="Who did what, when and why. Nothing deletes or changes it.">
        <button
          type="button"
          data-kind={news === 0 ? 'plain' : 'main'}
          onClick={() => {
            seen();
            list.refresh();
          }}
        >
          {news === 0 ? 'Reload' : `Show ${news} new`}
        </button>
      </PageHeader>
      <Filters />
      <DataTable
        label="Audit"
        columns={columns}
        list={list}
        rowId={({ id }) => String(id)}
        onOpen={setEntry}
        empty={() => (
          <EmptyState title="Nobody has done anything of the kind">
            Reading is not kept, but for what shows something personal or asks the partner.
          </EmptyState>
        )}
      />
      {entry === null ? null : <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
    </>
  );
}
