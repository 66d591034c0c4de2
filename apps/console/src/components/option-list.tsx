import { type KeyboardEvent, type ReactNode, useEffect } from 'react';

import styles from './option-list.module.css';

export interface ListedOption {
  readonly key: string;
  readonly content: ReactNode;
}

interface OptionListProps {
  /** Of the list; an option's is `ID-INDEX`: where the focus is, `aria-activedescendant` says it. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly ListedOption[];
  /** The one that Enter chooses; -1: none. */
  readonly at: number;
  readonly onChoose: (index: number) => void;
  readonly onPoint: (index: number) => void;
}

/** What a text field offers: the focus stays in the field. */
export function OptionList({ id, label, options, at, onChoose, onPoint }: OptionListProps): ReactNode {
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);
  return (
    <div role="listbox" id={id} aria-label={label} className={styles.options}>
      {options.map(({ key, content }, index) => (
        <div
          key={key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          className={styles.option}
          onPointerMove={() => onPoint(index)}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          {content}
        </div>
      ))}
    </div>
  );
}

/** Where an arrow key goes from there, round the ends; null: it is none. */
export function stepOf({ key }: Pick<KeyboardEvent, 'key'>, at: number, length: number): number | null {
  const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (by === 0 || length === 0) return null;
  return at === -1 ? (by === 1 ? 0 : length - 1) : (at + by + length) % length;
}
