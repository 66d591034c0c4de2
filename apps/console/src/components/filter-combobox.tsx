import * as Popover from '@radix-ui/react-popover';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';

import styles from './filter-bar.module.css';
import { OptionList, stepOf } from './option-list.js';

export interface FilterValue {
  readonly value: string;
  readonly text: string;
  /** How many it would show; null: nobody has counted them. */
  readonly count: number | null;
}

interface FilterComboboxProps {
  readonly label: string;
  readonly value: string;
  /** How the value is read where it is none of those that are offered. */
  readonly textOf: (value: string) => string;
  /** Of what is typed. */
  readonly offered: readonly FilterValue[];
  /** Below them: how many more there are, or of what they were counted. */
  readonly note: string;
  /** What is typed, or null while nobody looks. */
  readonly onLook: (typed: string | null) => void;
  /** Null takes it away. */
  readonly onChange: (value: string | null) => void;
}

const any: FilterValue = { value: '', text: 'any', count: null };

/** What Enter means: the option that is pointed at, the only one that was found, or else what was typed. */
function meant(draft: string, options: readonly FilterValue[], at: number): string {
  const typed = draft.trim();
  const only = options.length === 1 && typed !== '' ? options[0] : undefined;
  return (options[at] ?? only)?.value ?? typed;
}

interface Combobox {
  /** Null: nothing is typed. */
  readonly draft: string | null;
  readonly isOpen: boolean;
  readonly at: number;
  readonly options: readonly FilterValue[];
  readonly point: (at: number) => void;
  /** Null: no more. */
  readonly look: (typed: string | null) => void;
  readonly choose: (value: string) => void;
}

function useCombobox({ value, offered, onLook, onChange }: FilterComboboxProps): Combobox {
  const [draft, setDraft] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [at, point] = useState(-1);
  const look = (typed: string | null): void => {
    setDraft(typed === '' ? null : typed);
    point(-1);
    setIsOpen(typed !== null);
    onLook(typed);
  };
  const choose = (chosen: string): void => {
    look(null);
    if (chosen !== value) onChange(chosen === '' ? null : chosen);
  };
  return {
    draft,
    isOpen,
    at,
    options: draft === null && value !== '' ? [any, ...offered] : offered,
    point,
    look,
    choose,
  };
}

function enter({ draft, at, options, look, choose }: Combobox): void {
  if (at === -1 && draft === null) look(null);
  else choose(meant(draft ?? '', options, at));
}

/** What a key does in the field; false: what it does everywhere. */
function press(event: KeyboardEvent, combobox: Combobox): boolean {
  const { isOpen, at, options, point, look } = combobox;
  const step = stepOf(event, at, options.length);
  if (event.key === 'Escape' && isOpen) look(null);
  else if (event.key === 'ArrowDown' && !isOpen) look('');
  else if (step !== null && isOpen) point(step);
  else if (event.key === 'Enter') enter(combobox);
  else return false;
  return true;
}

interface ValuesProps {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly combobox: Combobox;
}

function Values({ id, label, note, combobox: { at, options, point, choose } }: ValuesProps): ReactNode {
  return (
    <Popover.Content
      className={styles.values}
      align="start"
      sideOffset={2}
      collisionPadding={8}
      aria-label={`Values of ${label}`}
      onOpenAutoFocus={(event) => event.preventDefault()}
      onCloseAutoFocus={(event) => event.preventDefault()}
    >
      <OptionList
        id={id}
        label={label}
        options={options.map(({ value: key, text, count }) => ({
          key,
          content: (
            <>
              <span className={styles.valueText} title={text}>
                {text}
              </span>
              <span className={styles.count}>{count === null ? '' : count.toLocaleString('en')}</span>
            </>
          ),
        }))}
        at={at}
        onChoose={(index) => choose(options[index]?.value ?? '')}
        onPoint={point}
      />
      <p role="status" className={styles.note}>
        {note}
      </p>
    </Popover.Content>
  );
}

/** A filter with what there is to choose from, and how many of each. Other words may be typed as well. */
export function FilterCombobox(props: FilterComboboxProps): ReactNode {
  const { label, value, textOf, note } = props;
  const id = useId();
  const combobox = useCombobox(props);
  const { draft, isOpen, at, look, choose } = combobox;
  const shown = value === '' ? '' : textOf(value);
  return (
    <div className={`${styles.field} ${styles.text}`}>
      <label htmlFor={`${id}-input`}>{label}</label>
      <Popover.Root open={isOpen}>
        <Popover.Anchor asChild>
          <input
            id={`${id}-input`}
            type="text"
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-autocomplete="list"
            aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
            autoComplete="off"
            spellCheck={false}
            placeholder="any"
            title={shown}
            value={draft ?? shown}
            onClick={({ currentTarget }) => {
              if (isOpen) return;
              currentTarget.select();
              look('');
            }}
            onChange={({ target }) => {
              if (target.value === '') choose('');
              else look(target.value);
            }}
            onBlur={() => {
              if (draft === null) look(null);
              else choose(draft.trim());
            }}
            onKeyDown={(event) => {
              if (!press(event, combobox)) return;
              event.preventDefault();
              event.stopPropagation();
            }}
          />
        </Popover.Anchor>
        <Popover.Portal>
          <Values id={id} label={label} note={note} combobox={combobox} />
        </Popover.Portal>
      </Popover.Root>
    </div>
  );
}
