import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { usePages } from '../api/use-pages.js';
import { type Column, DataTable } from '../components/data-table.js';
import { ActionButton } from '../components/action-button.js';
import { EmptyState } from '../components/empty-state.js';
import { Icon } from '../components/icon.js';
import { useHasPlace } from '../components/list-place.js';
import { Money } from '../components/money.js';
import { PageHeader } from '../components/page-header.js';
import { usePreferences } from '../shell/preferences.js';
import type { SearchTexts } from '../shell/search-texts.js';
import { type IntentFilters, replayObstacle } from './filters.js';
import { ColumnMenu } from './column-menu.js';
import { DownloadMenu } from './download-menu.js';
import { fixedColumns, intentColumns, intentSecondLine } from './intent-columns.js';
import { IntentFilterBar } from './intent-filters.js';
import styles from './intents-screen.module.css';
import { IntentViews } from './intent-views.js';
import { type IntentRow, pageRows } from './live-head.js';
import { useFilters } from './use-filters.js';
import { useLiveTail } from './use-live-tail.js';

const countEveryMs = 10_000;
const currenciesShown = 3;
const pathOf = ({ id }: IntentRow): readonly string[] => ['intents', id];
const rowId = ({ id }: IntentRow): string => id;

/** How many there are, and for how much; nothing where that cannot be told. */
function Count({ query }: { readonly query: IntentFilters }): ReactNode {
  const options = apiQuery('/intents/count', { query });
  const { data } = useQuery({ ...options, refetchInterval: countEveryMs, retry: false });
  if (data === undefined) return ' ';
  const { count, isExact, money, moneyOf } = data;
  const counted = `${isExact ? '' : 'about '}${count.toLocaleString('en')} ${count === 1 ? 'intent' : 'intents'}`;
  if (money.length === 0) return counted;
  return (
    <>
      {counted}, <Money of={money.slice(0, currenciesShown)} />
      {money.length > currenciesShown
        ? ` and ${(money.length - currenciesShown).toLocaleString('en')} other currencies`
        : ''}
      {moneyOf < count ? ` in the newest ${moneyOf.toLocaleString('en')}` : ''}
    </>
  );
}

/** Parked ones of what is shown, and no others; how many stands on it. */
function ReplayThese({ query }: { readonly query: IntentFilters }): ReactNode {
  const navigate = useNavigate();
  const obstacle = replayObstacle(query);
  const parked: IntentFilters = { ...query, status: 'parked' };
  const options = apiQuery('/intents/count', { query: parked });
  const enabled = obstacle === null;
  const { data } = useQuery({ ...options, refetchInterval: countEveryMs, retry: false, enabled });
  const none = data?.count === 0 && data.isExact ? 'None of these is parked.' : null;
  return (
    <ActionButton
      needs="operator"
      obstacle={obstacle ?? none}
      onClick={() => {
        const search: SearchTexts = { ...parked };
        void navigate({ to: '/jobs/replay/new', search });
      }}
    >
      {data === undefined || data.count === 0 || !enabled
        ? 'Replay what is parked of these'
        : `Replay ${data.isExact ? 'the' : 'about'} ${data.count.toLocaleString('en')} parked of these`}
    </ActionButton>
  );
}

interface TailProps {
  readonly isPaused: boolean;
  readonly newRows: number;
  readonly isMore: boolean;
  readonly onPause: (isPaused: boolean) => void;
  readonly onShow: () => void;
}

/** Whether new rows come by themselves, and how many wait. */
function Tail({ isPaused, newRows, isMore, onPause, onShow }: TailProps): ReactNode {
  return (
    <div className={styles.tail}>
      {newRows === 0 ? null : (
        <button type="button" className={styles.fresh} onClick={onShow}>
          {newRows.toLocaleString('en')}
          {isMore ? ' or more' : ''} new
        </button>
      )}
      <button type="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
        <Icon name={isPaused ? 'now' : 'pauses'} />
        {isPaused ? 'Follow' : 'Hold new rows'}
      </button>
    </div>
  );
}

function Nothing({ hasFilters }: { readonly hasFilters: boolean }): ReactNode {
  return hasFilters ? (
    <EmptyState title="Nothing fits these filters">Ids, reasons and codes are compared as a whole.</EmptyState>
  ) : (
    <EmptyState title="No intents yet">They come as soon as a record of a member or a purchase is read.</EmptyState>
  );
}

/** Rows hold still while one is pointed at or has the focus: nobody opens another one than they meant. */
function useHold(isAtFirst: boolean): {
  readonly isHeld: boolean;
  readonly handlers: Readonly<Record<string, (event: React.SyntheticEvent) => void>>;
} {
  const [isPointedAt, setIsPointedAt] = useState(false);
  const [hasFocus, setHasFocus] = useState(isAtFirst);
  return {
    isHeld: isPointedAt || hasFocus,
    handlers: {
      onMouseEnter: () => setIsPointedAt(true),
      onMouseLeave: () => setIsPointedAt(false),
      onFocus: () => setHasFocus(true),
      onBlur: () => setHasFocus(false),
    },
  };
}

interface Columns {
  readonly all: readonly Column<IntentRow>[];
  readonly shown: readonly Column<IntentRow>[];
}

/** Those that somebody has chosen. What the partner says is read where it is shown. */
function useColumns({ isOldestFirst, turnOrder }: ReturnType<typeof useFilters>): Columns {
  const { intentColumns: chosen } = usePreferences();
  const { data } = useQuery({ ...apiQuery('/groups', {}), enabled: chosen.includes('says') });
  const turn = useRef(turnOrder);
  useEffect(() => {
    turn.current = turnOrder;
  });
  return useMemo(() => {
    const groups = (data?.items ?? []).filter(({ wording }) => wording !== null);
    const says = ({ program, fingerprint }: IntentRow): string | null =>
      groups.find((one) => one.program === program && one.fingerprint === fingerprint)?.wording ?? null;
    const all = intentColumns(says).map((column) =>
      column.id === 'when' ? { ...column, sort: { isAscending: isOldestFirst, onTurn: () => turn.current() } } : column,
    );
    return { all, shown: all.filter(({ id }) => fixedColumns.includes(id) || chosen.includes(id)) };
  }, [data, chosen, isOldestFirst]);
}

/** What is owed to the partner, the newest first: found, followed, and gone into. */
export function IntentsScreen(): ReactNode {
  const filters = useFilters();
  const { texts, query, isOldestFirst } = filters;
  const shownQuery = useDeferredValue(query);
  const order = isOldestFirst ? ({ order: 'oldest' } as const) : {};
  const list = usePages('/intents', { query: { ...shownQuery, ...order, limit: pageRows } });
  const { all, shown } = useColumns(filters);
  const navigate = useNavigate();
  const [isPaused, setIsPaused] = useState(false);
  // Who comes back gets the row that they opened, and with it the focus.
  const isBack = useHasPlace('Intents');
  const [isRead] = useState(() => list.rows.length > 0);
  const { isHeld, handlers } = useHold(isBack && isRead);
  const isHeldBack = isHeld || isPaused || list.isLoading;
  const tail = useLiveTail(shownQuery, { isHeld: isHeldBack, isOn: !isOldestFirst });
  const open = useCallback(
    ({ id }: IntentRow) => {
      void navigate({ to: '/intents/$id', params: { id } });
    },
    [navigate],
  );
  return (
    <>
      <PageHeader title="Intents" about={<Count query={shownQuery} />}>
        <ReplayThese query={query} />
        <DownloadMenu query={{ ...query, ...order }} />
        <ColumnMenu columns={all} />
        {isOldestFirst ? null : (
          <Tail
            {...tail}
            isPaused={isPaused}
            onPause={setIsPaused}
            onShow={() => {
              tail.takeIn();
              window.scrollTo({ top: 0 });
            }}
          />
        )}
      </PageHeader>
      <IntentViews search={texts} />
      <IntentFilterBar filters={filters} />
      <div {...handlers}>
        <DataTable
          label="Intents"
          columns={shown}
          secondLine={intentSecondLine}
          list={list}
          rowId={rowId}
          onOpen={open}
          pathOf={pathOf}
          empty={() => <Nothing hasFilters={Object.keys(texts).length > 0} />}
        />
      </div>
    </>
  );
}
