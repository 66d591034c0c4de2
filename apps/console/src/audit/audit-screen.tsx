import { type ReactNode, useEffect, useState } from 'react';

import { onAction } from '../api/stream.js';
import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { EmptyState } from '../components/empty-state.js';
import { FilterBar, FilterChoice, FilterText } from '../components/filter-bar.js';
import { PageHeader } from '../components/page-header.js';
import { TimeText } from '../components/time-text.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { actionWords, knownActions, targetOf } from './action-words.js';
import { AuditTargetLink } from './audit-target.js';
import { ChainPanel } from './chain-panel.js';
import { type AuditEntry, EntryDialog } from './entry-dialog.js';

const columns: readonly Column<AuditEntry>[] = [
  { id: 'at', header: 'When', width: '96px', cell: ({ at }) => <TimeText at={at} /> },
  { id: 'actor', header: 'Who', width: 'minmax(56px, 0.5fr)', cell: ({ actor }) => actor },
  {
    id: 'action',
    header: 'Did what',
    width: 'minmax(112px, 1fr)',
    cell: ({ action }) => <span title={action}>{actionWords(action)}</span>,
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
  { id: 'link', header: 'Link', width: '72px', align: 'end', isMinor: true, cell: ({ link }) => link ?? 'waits' },
];

function Filters(): ReactNode {
  const [texts, change] = useSearchTexts();
  const { actor = '', action = '' } = texts;
  const actions = action === '' || knownActions.includes(action) ? knownActions : [...knownActions, action];
  return (
    <FilterBar
      label="Audit"
      onClear={actor === '' && action === '' ? undefined : () => change({ actor: null, action: null })}
    >
      <FilterText label="Who" value={actor} onChange={(value) => change({ actor: value })} />
      <FilterChoice
        label="Did what"
        value={action}
        options={[{ value: '', text: 'anything' }, ...actions.map((one) => ({ value: one, text: one }))]}
        onChange={(value) => change({ action: value })}
      />
    </FilterBar>
  );
}

/** How many actions that fit have come since the list was read. */
function useNews(actor: string | undefined, action: string | undefined): readonly [number, () => void] {
  const [news, setNews] = useState(0);
  useEffect(
    () =>
      onAction((entry) => {
        if ((actor ?? entry.actor) === entry.actor && (action ?? entry.action) === entry.action) {
          setNews((count) => count + 1);
        }
      }),
    [actor, action],
  );
  return [news, () => setNews(0)];
}

/** Who did what, when and why: kept for ever. */
export function AuditScreen(): ReactNode {
  const [{ actor, action }] = useSearchTexts();
  const query = { ...(actor === undefined ? {} : { actor }), ...(action === undefined ? {} : { action }) };
  const list = usePages('/audit', { query });
  const [news, seen] = useNews(actor, action);
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
          {news === 0 ? 'Refresh' : `Show ${news} new`}
        </button>
      </PageHeader>
      <ChainPanel />
      <Filters />
      <DataTable
        label="Audit"
        columns={columns}
        list={list}
        rowId={({ id }) => String(id)}
        onOpen={setEntry}
        empty={
          <EmptyState title="Nobody has done anything of the kind">
            Reading is not kept, but for what shows something personal or asks the partner.
          </EmptyState>
        }
      />
      {entry === null ? null : <EntryDialog entry={entry} onClose={() => setEntry(null)} />}
    </>
  );
}
