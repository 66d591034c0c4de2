import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { FilterBar, FilterChoice, FilterText, FilterTime } from '../components/filter-bar.js';
import { Icon } from '../components/icon.js';
import { operationFullName, operations, operationText } from '../components/operation-words.js';
import { type FilterName, filterLabels, statuses, statusSets, statusText } from './filters.js';
import styles from './intents-screen.module.css';
import type { useFilters } from './use-filters.js';

const quietMs = 350;

/**
 * What somebody types: shown at once, told to others once they stop for a moment. What others change meanwhile, such as
 * "back", counts where nothing is being typed.
 */
function useDraft(value: string, onSettled: (text: string) => void): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (draft.trim() !== value) onSettled(draft.trim());
      setDraft(null);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [draft, value, onSettled]);
  return [draft ?? value, setDraft];
}

type Filters = ReturnType<typeof useFilters>;

const choices = <Value extends string>(
  values: readonly Value[],
  textOf: (value: Value) => string = String,
): readonly { readonly value: string; readonly text: string }[] => [
  { value: '', text: 'any' },
  ...values.map((value) => ({ value, text: textOf(value) })),
];
const statusChoices = [...choices(statuses), ...statusSets];
const operationChoices = choices(operations, operationFullName);
const rareTexts = ['purchaseId', 'source', 'store', 'reason', 'code', 'fingerprint'] as const;

/** Those of an address that are none of the usual ones stand there as well. */
const statusChoicesWith = (value: string): typeof statusChoices =>
  statusChoices.some((one) => one.value === value)
    ? statusChoices
    : [...statusChoices, { value, text: statusText(value) }];

type Known = Readonly<Partial<Record<FilterName, readonly string[]>>>;

/** What there is to choose from: programs that have intents, and why some are parked or unknown now. */
function useKnown(): Known {
  const stats = useQuery(apiQuery('/stats', {})).data;
  const groups = useQuery(apiQuery('/groups', {})).data?.items ?? [];
  const each = (values: readonly (string | null)[]): readonly string[] =>
    [...new Set(values)].filter((value) => value !== null).toSorted();
  return {
    program: each((stats?.intents ?? []).map(({ program }) => program)),
    reason: each(groups.map(({ reason }) => reason)),
    code: each(groups.map(({ code }) => code)),
  };
}

function Search({ filters }: { readonly filters: Filters }): ReactNode {
  const { texts, retype } = filters;
  const settle = useCallback((text: string) => retype('q', text), [retype]);
  const [draft, setDraft] = useDraft(texts.q ?? '', settle);
  return (
    <label className={styles.search}>
      Intent, purchase or member
      <input
        type="search"
        value={draft}
        placeholder="its whole id"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft(event.target.value)}
      />
    </label>
  );
}

function RareFilters({ filters, known }: { readonly filters: Filters; readonly known: Known }): ReactNode {
  const { texts, query, change } = filters;
  return (
    <>
      {rareTexts.map((name) => (
        <FilterText
          key={name}
          label={filterLabels[name]}
          value={texts[name] ?? ''}
          known={known[name] ?? []}
          onChange={(text) => change(name, text)}
        />
      ))}
      <FilterTime label="Recorded from" value={query.from ?? ''} onChange={(text) => change('from', text)} />
      <FilterTime label="Recorded before" value={query.to ?? ''} onChange={(text) => change('to', text)} />
    </>
  );
}

function chipText(name: FilterName, text: string): string {
  if (name === 'status') return statusText(text);
  return name === 'operation' ? operationText(text) : text;
}

function Chips({ filters }: { readonly filters: Filters }): ReactNode {
  const { texts, change } = filters;
  const entries = Object.entries(texts) as readonly [FilterName, string][];
  if (entries.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Filters that are set">
      {entries.map(([name, text]) => (
        <li key={name}>
          <button type="button" className={styles.chip} onClick={() => change(name, null)}>
            <span className="unseen">Remove the filter</span>
            <span className={styles.chipName}>{filterLabels[name]}</span>
            <span className={styles.chipText}>{chipText(name, text)}</span>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** All filters of the list: the usual ones in sight, the others a click away, those that are set as chips. */
export function IntentFilterBar({ filters }: { readonly filters: Filters }): ReactNode {
  const { texts, problems, change, replaceAll } = filters;
  const [isOpen, setIsOpen] = useState(false);
  const known = useKnown();
  const hasAny = Object.keys(texts).length > 0;
  return (
    <>
      <FilterBar label="Filter intents" onClear={hasAny ? () => replaceAll({}) : undefined}>
        <Search filters={filters} />
        <FilterChoice
          label="Status"
          value={texts.status ?? ''}
          options={statusChoicesWith(texts.status ?? '')}
          onChange={(text) => change('status', text)}
        />
        <FilterChoice
          label="Operation"
          value={texts.operation ?? ''}
          options={operationChoices}
          onChange={(text) => change('operation', text)}
        />
        <div className={styles.usual} data-open={isOpen}>
          <FilterText
            label="Program"
            value={texts.program ?? ''}
            known={known.program ?? []}
            onChange={(text) => change('program', text)}
          />
          <FilterText label="Member" value={texts.memberId ?? ''} onChange={(text) => change('memberId', text)} />
        </div>
        {isOpen ? <RareFilters filters={filters} known={known} /> : null}
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
      </FilterBar>
      <Chips filters={filters} />
      {problems.map((problem) => (
        <p key={problem} role="alert" className={styles.problem}>
          {problem}. It is left out.
        </p>
      ))}
    </>
  );
}
