import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';

import { apiQuery } from '../api/queries.js';
import { useSearchTexts } from '../shell/use-search-texts.js';
import { manyQueryOf, unnamed } from './quarantine-filter.js';
import styles from './quarantine-screen.module.css';
import { refusalWords } from './refusal-words.js';

interface ChipsProps {
  readonly label: string;
  /** Of the address. */
  readonly name: 'reason' | 'source';
  readonly counts: readonly { readonly value: string; readonly count: number; readonly title?: string }[];
}

function Chips({ label, name, counts }: ChipsProps): ReactNode {
  const [texts, change] = useSearchTexts();
  if (counts.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label={label}>
      {counts.map(({ value, count, title }) => {
        const isSet = texts[name] === value;
        return (
          <li key={value}>
            <button
              type="button"
              className={styles.chip}
              title={title}
              aria-pressed={isSet}
              onClick={() => change({ [name]: isSet ? null : value })}
            >
              <span className={styles.chipText}>{value}</span> <strong>{count.toLocaleString('en')}</strong>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** How many open records fit the filters, why they were refused and who sent them: each a filter, whichever others are set. */
export function RecordCounts(): ReactNode {
  const [texts] = useSearchTexts();
  const { reason: _, ...others } = manyQueryOf(texts);
  const { source: __, ...ofReason } = manyQueryOf(texts);
  const { data: byReason } = useQuery(apiQuery('/quarantine/count', { query: others }));
  const { data: bySource } = useQuery(apiQuery('/quarantine/count', { query: ofReason }));
  return (
    <div className={styles.counts}>
      <Chips
        label="Open, by why they were refused"
        name="reason"
        counts={(byReason?.byReason ?? []).map(({ reason, count }) => ({
          ...{ value: reason, count, title: refusalWords(reason).means },
        }))}
      />
      <Chips
        label="Open, by who sent them"
        name="source"
        counts={(bySource?.bySource ?? []).map(({ source, count }) => ({ value: source ?? unnamed, count }))}
      />
    </div>
  );
}

/** `570 open ones`, of those that fit the filters. */
export function OpenCount(): ReactNode {
  const [texts] = useSearchTexts();
  const { data } = useQuery(apiQuery('/quarantine/count', { query: manyQueryOf(texts) }));
  if (data === undefined) return null;
  return (
    <>
      {data.isExact ? '' : 'More than '}
      {data.count.toLocaleString('en')} open{data.count === 1 ? ' one' : ' ones'}.{' '}
    </>
  );
}
