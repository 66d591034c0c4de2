import { type ReactNode, type SubmitEvent, useId, useState } from 'react';

import { filterKeys, filterNames, type FilterKey } from './replay-filter.js';
import styles from './replays.module.css';

const hints: Readonly<Partial<Record<FilterKey, string>>> = {
  operation: 'transaction',
  reason: 'rejected',
  from: '2026-11-21T08:00:00Z',
  to: '2026-11-21T09:00:00Z',
  q: 'an intent’s id, a member’s or a purchase’s',
};

/** Narrows down what is selected. */
export function AddFilter({ onAdd }: { readonly onAdd: (key: FilterKey, value: string) => void }): ReactNode {
  const id = useId();
  const [key, setKey] = useState<FilterKey>('program');
  const [value, setValue] = useState('');
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (value.trim() === '') return;
    onAdd(key, value.trim());
    setValue('');
  };
  return (
    <form className={styles.add} onSubmit={submit}>
      <label className="unseen" htmlFor={`${id}-key`}>
        Filter
      </label>
      <select id={`${id}-key`} value={key} onChange={(event) => setKey(event.target.value as FilterKey)}>
        {filterKeys.map((one) => (
          <option key={one} value={one}>
            {filterNames[one]}
          </option>
        ))}
      </select>
      <label className="unseen" htmlFor={`${id}-value`}>
        Value
      </label>
      <input
        id={`${id}-value`}
        value={value}
        placeholder={hints[key] ?? ''}
        autoComplete="off"
        onChange={(event) => setValue(event.target.value)}
      />
      <button type="submit">Narrow down</button>
    </form>
  );
}
