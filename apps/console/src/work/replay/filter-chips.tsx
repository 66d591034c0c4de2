import { type ReactNode } from 'react';

import { MaskedValue } from '../../components/masked-value.js';
import { usePreferences } from '../../shell/preferences.js';
import { filterKeys, filterNames, type FilterKey, partText, type ReplayFilter } from './replay-filter.js';
import styles from './replays.module.css';

interface FilterChipsProps {
  readonly filter: ReplayFilter;
  /** Absent where it is frozen. */
  readonly onRemove?: (key: FilterKey) => void;
}

/** What a replay selects: everything that is parked and fits each of these. */
export function FilterChips({ filter, onRemove }: FilterChipsProps): ReactNode {
  const { timeZone } = usePreferences();
  const parts = filterKeys.flatMap((key) => {
    const value = filter[key];
    return value === undefined ? [] : [{ key, text: partText(key, value, timeZone) }];
  });
  return (
    <ul className={styles.chips} aria-label="What is selected">
      <li className={styles.chip}>
        <span className={styles.chipName}>Status</span> parked
      </li>
      {parts.map(({ key, text }) => (
        <li key={key} className={styles.chip}>
          <span className={styles.chipName}>{filterNames[key]}</span> <MaskedValue text={text} />
          {onRemove === undefined ? null : (
            <button
              type="button"
              data-kind="plain"
              className={styles.remove}
              aria-label={`Remove ${filterNames[key]} ${text}`}
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
