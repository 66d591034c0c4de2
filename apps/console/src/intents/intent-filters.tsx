import { type ReactNode, useCallback, useEffect, useState } from 'react';

import { FilterBar, FilterText, FilterTime } from '../components/filter-bar.js';
import { FilterCombobox } from '../components/filter-combobox.js';
import { operationText } from '../components/operation-words.js';
import { type FilterName, filterLabels, statusText } from './filters.js';
import styles from './intents-screen.module.css';
import { type IntentFacet, useIntentValues } from './intent-values.js';
import type { useFilters } from './use-filters.js';

const quietMs = 350;

/**
 * What somebody types: shown at once, told to others once they stop for a moment. What others change meanwhile, such as
 * "back", counts where nothing is being typed.
 */
function useDraft(value: string, onSettled: (text: string) => void): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (draft.trim() !== value) onSettled(draft.trim());
      setDraft(null);
    }, quietMs);
    return () => clearTimeout(timer);
  }, [draft, value, onSettled]);
  return [draft ?? value, setDraft];
}

type Filters = ReturnType<typeof useFilters>;

/** Fields in their order: the usual ones in sight, the others a click away, unless they are set. */
const usual = ['status', 'operation', 'program', 'store'] as const;
const rare = ['memberId', 'purchaseId', 'source', 'reason', 'code', 'fingerprint', 'from', 'to'] as const;

function textOfValue(name: FilterName, value: string): string {
  if (name === 'status') return statusText(value);
  return name === 'operation' ? operationText(value) : value;
}

function Search({ filters }: { readonly filters: Filters }): ReactNode {
  const { texts, retype } = filters;
  const settle = useCallback((text: string) => retype('q', text), [retype]);
  const [draft, setDraft] = useDraft(texts.q ?? '', settle);
  return (
    <label className={styles.search}>
      Intent, purchase or member
      <input
        type="search"
        value={draft}
        placeholder="its whole id"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft(event.target.value)}
      />
    </label>
  );
}

const timeLabels = { from: 'Recorded from', to: 'Recorded before' } as const;

interface FieldProps {
  readonly name: (typeof usual)[number] | (typeof rare)[number];
  readonly filters: Filters;
}

function Field({ name, filters }: FieldProps): ReactNode {
  const { texts, query, change } = filters;
  const onChange = (text: string | null): void => change(name, text);
  if (name === 'from' || name === 'to') {
    return <FilterTime label={timeLabels[name]} value={query[name] ?? ''} onChange={onChange} />;
  }
  if (name === 'memberId' || name === 'purchaseId') {
    return <FilterText label={filterLabels[name]} value={texts[name] ?? ''} onChange={onChange} />;
  }
  return <FacetFilter name={name} filters={filters} />;
}

function FacetFilter({ name, filters }: { readonly name: IntentFacet; readonly filters: Filters }): ReactNode {
  const { texts, query, change } = filters;
  const value = texts[name] ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const { offered, note, textOf } = useIntentValues({ of: name, query, typed, value });
  return (
    <FilterCombobox
      label={filterLabels[name]}
      value={value}
      textOf={(one) => textOf(one) ?? textOfValue(name, one)}
      offered={offered.map((one) => ({ ...one, text: one.text ?? textOfValue(name, one.value) }))}
      note={note}
      onLook={setTyped}
      onChange={(text) => change(name, text)}
    />
  );
}

/** All filters of the list: each stands once, in its field. */
export function IntentFilterBar({ filters }: { readonly filters: Filters }): ReactNode {
  const { texts, problems, replaceAll } = filters;
  const [isOpen, setIsOpen] = useState(false);
  const hasAny = Object.keys(texts).length > 0;
  return (
    <>
      <FilterBar label="Filter intents" onClear={hasAny ? () => replaceAll({}) : undefined}>
        <Search filters={filters} />
        {usual.map((name) => (
          <div
            key={name}
            className={styles.usual}
            data-shown={isOpen || texts[name] !== undefined || name === 'status'}
          >
            <Field name={name} filters={filters} />
          </div>
        ))}
        {rare.map((name) =>
          isOpen || texts[name] !== undefined ? <Field key={name} name={name} filters={filters} /> : null,
        )}
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
      </FilterBar>
      {problems.map((problem) => (
        <p key={problem} role="alert" className={styles.problem}>
          {problem}. It is left out.
        </p>
      ))}
    </>
  );
}
