import { type ReactNode, type SubmitEvent, useId, useState } from 'react';

import { operationFullName, operations } from '../../components/operation-words.js';
import { filterKeys, filterNames, type FilterKey } from './replay-filter.js';
import styles from './replays.module.css';

const hints: Readonly<Partial<Record<FilterKey, string>>> = {
  reason: 'rejected',
  from: '2026-11-21T08:00:00Z',
  to: '2026-11-21T09:00:00Z',
  q: 'an intent’s id, a member’s or a purchase’s',
};

interface ValueProps {
  readonly id: string;
  readonly of: FilterKey;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Written, or where there are few chosen by their names. */
function Value({ id, of, value, onChange }: ValueProps): ReactNode {
  if (of !== 'operation') {
    return (
      <input
        id={id}
        value={value}
        placeholder={hints[of] ?? ''}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose one</option>
      {operations.map((operation) => (
        <option key={operation} value={operation}>
          {operationFullName(operation)}
        </option>
      ))}
    </select>
  );
}

/** Narrows down what is selected. */
export function AddFilter({ onAdd }: { readonly onAdd: (key: FilterKey, value: string) => void }): ReactNode {
  const id = useId();
  const [key, setKey] = useState<FilterKey>('program');
  const [value, setValue] = useState('');
  const choose = (chosen: FilterKey): void => {
    setKey(chosen);
    // What is written is none of those to choose from, and the other way round.
    if (key === 'operation' || chosen === 'operation') setValue('');
  };
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
      <select id={`${id}-key`} value={key} onChange={(event) => choose(event.target.value as FilterKey)}>
        {filterKeys.map((one) => (
          <option key={one} value={one}>
            {filterNames[one]}
          </option>
        ))}
      </select>
      <label className="unseen" htmlFor={`${id}-value`}>
        Value
      </label>
      <Value id={`${id}-value`} of={key} value={value} onChange={setValue} />
      <button type="submit">Narrow down</button>
    </form>
  );
}
