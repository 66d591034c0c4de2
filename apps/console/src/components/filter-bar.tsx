import { type ReactNode, useId, useState } from 'react';

import { usePreferences } from '../shell/preferences.js';
import styles from './filter-bar.module.css';
import { inputText, momentOf } from './time-input.js';

interface FilterBarProps {
  /** What is filtered, for those who hear it. */
  readonly label: string;
  /** Takes all filters away; absent where there are none. */
  readonly onClear?: (() => void) | undefined;
  readonly children: ReactNode;
}

/** The filters of a list, which live in the address. */
export function FilterBar({ label, onClear, children }: FilterBarProps): ReactNode {
  return (
    <div role="search" aria-label={label} className={styles.bar}>
      {children}
      {onClear === undefined ? null : (
        <button type="button" data-kind="plain" onClick={onClear}>
          Clear filters
        </button>
      )}
    </div>
  );
}

interface FilterProps {
  readonly label: string;
  readonly value: string;
  /** Null takes it away. */
  readonly onChange: (value: string | null) => void;
}

interface FilterChoiceProps extends FilterProps {
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

export function FilterChoice({ label, value, options, onChange }: FilterChoiceProps): ReactNode {
  return (
    <label className={styles.field}>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FilterTextProps extends FilterProps {
  /** What there is, to choose from; other words may be typed, too. */
  readonly known?: readonly string[];
}

/** Counts once it is left, or Enter is pressed: half a word finds nothing. */
export function FilterText({ label, value, known = [], onChange }: FilterTextProps): ReactNode {
  const listId = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const commit = (): void => {
    if (draft !== null && draft.trim() !== value) onChange(draft.trim() === '' ? null : draft.trim());
    setDraft(null);
  };
  return (
    <label className={`${styles.field} ${styles.text}`}>
      {label}
      <input
        type="text"
        value={draft ?? value}
        spellCheck={false}
        autoComplete="off"
        list={known.length === 0 ? undefined : listId}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
      {known.length === 0 ? null : (
        <datalist id={listId}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** A moment in the zone that somebody looks at; the address keeps it in UTC. */
export function FilterTime({ label, value, onChange }: FilterProps): ReactNode {
  const { timeZone } = usePreferences();
  return (
    <label className={styles.field}>
      {`${label}${timeZone === 'utc' ? ' (UTC)' : ''}`}
      <input
        type="datetime-local"
        value={inputText(value, timeZone)}
        onChange={(event) => onChange(momentOf(event.target.value, timeZone))}
      />
    </label>
  );
}
