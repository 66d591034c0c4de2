import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import type { Query } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { operations } from '../components/operation-words.js';
import { type IntentFilters, statuses, statusSets } from './filters.js';
import { valuesNote } from './values-note.js';

export type IntentFacet = NonNullable<Query<'/intents/values'>['of']>;

/** So long nothing is typed before the daemon is asked. */
const quietMs = 150;

/** What there may be of it whatever there is now. */
const fixed: Readonly<Partial<Record<IntentFacet, readonly string[]>>> = {
  status: [...statuses, ...statusSets.map(({ value }) => value)],
  operation: operations,
};

function useSettled(typed: string | null): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed?.trim() ?? ''), quietMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return typed === null || typed === '' ? '' : settled;
}

interface Offered {
  readonly value: string;
  /** Null: the value itself. */
  readonly text: string | null;
  readonly count: number | null;
}

interface Asked {
  readonly of: IntentFacet;
  readonly query: IntentFilters;
  /** Null: nobody looks. */
  readonly typed: string | null;
  readonly value: string;
}

/** What a filter may be set to, with how many each would show: asked for once somebody looks. */
export function useIntentValues({ of, query, typed, value }: Asked): {
  readonly offered: readonly Offered[];
  readonly note: string;
  readonly textOf: (value: string) => string | null;
} {
  const has = useSettled(typed);
  const { data, isError } = useQuery({
    ...apiQuery('/intents/values', { query: { ...query, of, ...(has === '' || of in fixed ? {} : { has }) } }),
    // A fingerprint is read by what the partner said, which only the daemon knows.
    enabled: typed !== null || (of === 'fingerprint' && value !== ''),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const found: Offered[] = (data?.items ?? []).map((item) => ({
    value: item.value,
    text: item.wording,
    count: item.intents,
  }));
  const others = (fixed[of] ?? [])
    .filter((one) => !found.some((item) => item.value === one))
    .map((one) => ({ value: one, text: null, count: one.includes(',') ? null : data === undefined ? null : 0 }));
  const isTyped = (one: Offered): boolean => !(of in fixed) || one.value.includes(has.toLowerCase());
  return {
    offered: [...found, ...others].filter(isTyped),
    note: isError ? 'The values could not be read' : data === undefined ? 'Reading' : valuesNote(data),
    textOf: (one) => found.find((item) => item.value === one)?.text ?? null,
  };
}
