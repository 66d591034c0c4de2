import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import { apiQuery } from '../api/queries.js';
import { EmptyState } from '../components/empty-state.js';
import { ErrorPanel } from '../components/error-panel.js';
import { FilterBar, FilterChoice, FilterText, FilterTime } from '../components/filter-bar.js';
import { PageHeader } from '../components/page-header.js';
import { absoluteTextWithZone } from '../components/time-words.js';
import { usePreferences } from '../shell/preferences.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { CopyScorecard } from './copy-scorecard.js';
import styles from './producers-screen.module.css';
import { ScoreTable } from './score-table.js';
import { countedTime, linesOf, ordered, orderOf, type Producer, rangeOf, rangeWords, troubles } from './scorecard.js';
import { scorecardText } from './scorecard-text.js';

const rangeOptions = [
  { value: '1h', text: 'this hour' },
  { value: '24h', text: '24 hours' },
  { value: '7d', text: '7 days' },
  { value: '31d', text: '31 days' },
] as const;
const ownOption = { value: 'own', text: 'from and to' };

const orderOptions = [
  { value: 'worst', text: 'the worst' },
  { value: 'events', text: 'the most sent' },
  ...troubles.map(({ trouble, name }) => ({ value: trouble, text: name.toLowerCase() })),
];

const lineOptions = [
  { value: 'source', text: 'source' },
  { value: 'all', text: 'source, store and program' },
];

function Filters({ rangeName }: { readonly rangeName: string }): ReactNode {
  const [texts, change] = useSearchTexts();
  const isFiltered = ['range', 'from', 'to', 'q'].some((name) => texts[name] !== undefined);
  return (
    <FilterBar
      label="Producers"
      onClear={isFiltered ? () => change({ range: null, from: null, to: null, q: null }) : undefined}
    >
      <FilterChoice
        label="Time"
        value={rangeName}
        options={rangeName === 'own' ? [...rangeOptions, ownOption] : rangeOptions}
        onChange={(range) => change({ range: range === '24h' ? null : range, from: null, to: null })}
      />
      <FilterTime label="From" value={texts.from ?? ''} onChange={(from) => change({ from, range: null })} />
      <FilterTime label="To" value={texts.to ?? ''} onChange={(to) => change({ to, range: null })} />
      <FilterText label="Source, store or program" value={texts.q ?? ''} onChange={(q) => change({ q })} />
      <FilterChoice
        label="A line for each"
        value={texts.by === 'all' ? 'all' : 'source'}
        options={lineOptions}
        onChange={(by) => change({ by: by === 'source' ? null : by })}
      />
      <FilterChoice
        label="First"
        value={orderOf(texts)}
        options={orderOptions}
        onChange={(sort) => change({ sort: sort === 'worst' ? null : sort })}
      />
    </FilterBar>
  );
}

function Meanings(): ReactNode {
  return (
    <ul className={styles.meanings}>
      {troubles.map(({ trouble, name, means }) => (
        <li key={trouble}>
          {name}: {means}.
        </li>
      ))}
      <li>Late and out of order are of what was taken in; the others of all that was sent. Hours are whole.</li>
    </ul>
  );
}

function ProducersError({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }): ReactNode {
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <EmptyState title="This daemon does not count what producers send">
        It is of an older release than this console.
      </EmptyState>
    );
  }
  return <ErrorPanel error={error} onRetry={onRetry} />;
}

interface ScorecardProps {
  readonly producers: readonly Producer[];
  readonly isEmpty: boolean;
  readonly isPart: boolean;
  readonly rangeText: string;
  readonly range: ReturnType<typeof countedTime>;
}

function Scorecard({ producers, isEmpty, isPart, rangeText, range }: ScorecardProps): ReactNode {
  const [texts, change] = useSearchTexts();
  if (producers.length === 0) {
    return <EmptyState title={isEmpty ? 'Nothing came in this time' : 'No producer fits'} />;
  }
  return (
    <>
      <p className={styles.note}>
        {producers.length.toLocaleString('en')} {producers.length === 1 ? 'producer' : 'producers'}, {rangeText}.
        {isPart ? ' There are more than the daemon shows.' : ''}
      </p>
      <ScoreTable producers={producers} order={orderOf(texts)} range={range} onOrder={(sort) => change({ sort })} />
      <Meanings />
    </>
  );
}

/** What tills and shops send, and how well: a scorecard for the teams that emit. */
export function ProducersScreen(): ReactNode {
  const [texts] = useSearchTexts();
  const { timeZone } = usePreferences();
  const [nowMs] = useState(Date.now);
  const { name: rangeName, query } = rangeOf(texts, nowMs);
  const { data, error, refetch } = useQuery(apiQuery('/producers', { query }));
  const items: readonly Producer[] = data?.items ?? [];
  const producers = ordered(linesOf(items, texts), orderOf(texts));
  const rangeText = rangeWords(query, nowMs, (atMs) => absoluteTextWithZone(atMs, timeZone));
  return (
    <>
      <PageHeader
        title="Producers"
        about="What tills and shops send, and how well, by the source of the event and its store."
      >
        {producers.length === 0 ? null : (
          <>
            <CopyScorecard text={scorecardText(producers, rangeText)} />
            <button type="button" onClick={() => window.print()}>
              Print
            </button>
          </>
        )}
        <button type="button" data-kind="plain" onClick={() => void refetch()}>
          Refresh
        </button>
      </PageHeader>
      <Filters rangeName={rangeName} />
      {error === null ? null : <ProducersError error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <Scorecard
          producers={producers}
          isEmpty={items.length === 0}
          isPart={'isPart' in data && data.isPart}
          rangeText={rangeText}
          range={countedTime(query, data)}
        />
      )}
    </>
  );
}
