import { type ReactNode, useId, useState } from 'react';

import { usePreferences } from '../shell/preferences.js';
import styles from './filter-bar.module.css';
import { agoMs, inputText, momentOf } from './time-input.js';

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

/** Counts once it is left, or Enter is pressed: half a word finds nothing. */
export function FilterText({ label, value, onChange }: FilterProps): ReactNode {
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
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
    </label>
  );
}

const ofMinute = 'yyyy-mm-dd hh:mm';

/** A moment in the zone that somebody looks at, written as everywhere, or so long ago; the address keeps it in UTC. */
export function FilterTime({ label, value, onChange }: FilterProps): ReactNode {
  const { timeZone } = usePreferences();
  const flawId = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const [isFlawed, setIsFlawed] = useState(false);
  const commit = (): void => {
    const said = (draft ?? '').trim();
    if (draft === null) return;
    const ago = agoMs(said, Date.now());
    const moment = ago === null ? momentOf(said.replace(' ', 'T'), timeZone) : new Date(ago).toISOString();
    setIsFlawed(said !== '' && moment === null);
    if (said !== '' && moment === null) return;
    setDraft(null);
    if (moment !== value) onChange(moment);
  };
  return (
    <label className={`${styles.field} ${styles.text}`}>
      {`${label}${timeZone === 'utc' ? ' (UTC)' : ''}`}
      <input
        type="text"
        value={draft ?? inputText(value, timeZone).replace('T', ' ')}
        placeholder={ofMinute}
        title={`${ofMinute}, or 2h, 7d: so long ago`}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isFlawed}
        aria-describedby={isFlawed ? flawId : undefined}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
      {isFlawed ? (
        <span id={flawId} role="alert" className={styles.flaw}>
          No time: write {ofMinute}, 2h or 7d
        </span>
      ) : null}
    </label>
  );
}
