import { type ReactNode } from 'react';

import { MaskedValue } from '../components/masked-value.js';
import { filterKeys, filterNames, type FilterKey, partText, type ReplayFilter } from './replay-filter.js';
import styles from './replays.module.css';

interface FilterChipsProps {
  readonly filter: ReplayFilter;
  /** Absent where it is frozen. */
  readonly onRemove?: (key: FilterKey) => void;
}

/** What a replay selects: everything that is parked and fits each of these. */
export function FilterChips({ filter, onRemove }: FilterChipsProps): ReactNode {
  const keys = filterKeys.filter((key) => filter[key] !== undefined);
  return (
    <ul className={styles.chips} aria-label="What is selected">
      <li className={styles.chip}>
        <span className={styles.chipName}>Status</span> parked
      </li>
      {keys.map((key) => (
        <li key={key} className={styles.chip}>
          <span className={styles.chipName}>{filterNames[key]}</span>{' '}
          <MaskedValue text={partText(key, filter[key] ?? '')} />
          {onRemove === undefined ? null : (
            <button
              type="button"
              data-kind="plain"
              className={styles.remove}
              aria-label={`Remove ${filterNames[key]} ${partText(key, filter[key] ?? '')}`}
              onClick={() => onRemove(key)}
            >
              <span aria-hidden="true">×</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
