import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { Panel } from '../components/panel.js';
import styles from './programs-panel.module.css';
import { valueText } from './programs-words.js';

type Dialect = Answer<'/dialect'>;
type Entry = Dialect['entries'][number];

function EntryItem({ entry }: { readonly entry: Entry }): ReactNode {
  const { path, description, value, isDefault } = entry;
  return (
    <li data-differs={!isDefault}>
      <code>
        {path} = {valueText(value)}
      </code>{' '}
      {isDefault ? null : <b>differs from the default, {valueText(entry.default)}. </b>}
      <span className={styles.note}>{description}</span>
    </li>
  );
}

function OfPrograms({ dialect: { programs, entries } }: { readonly dialect: Dialect }): ReactNode {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  return programs.map(({ program, differs }) => (
    <section key={program} aria-label={program}>
      <h3>{program}</h3>
      {differs.length === 0 ? (
        <p className={styles.note}>Says nothing of its own.</p>
      ) : (
        <ul className={styles.changes}>
          {differs.map(({ path, value }) => (
            <EntryItem
              key={path}
              entry={{
                path,
                value,
                isDefault: false,
                default: byPath.get(path)?.default,
                description: byPath.get(path)?.description ?? '',
              }}
            />
          ))}
        </ul>
      )}
    </section>
  ));
}

/** What is assumed of the partner: what was set first, then everything. */
export function DialectPanel(): ReactNode {
  const { data, error, refetch } = useQuery({ ...apiQuery('/dialect', {}), staleTime: 60_000 });
  const [isOpen, setOpen] = useState(false);
  const differing = data?.entries.filter(({ isDefault }) => !isDefault) ?? [];
  return (
    <Panel
      title="Dialect: what is assumed of the partner"
      about="What its specification leaves open. Who knows better says so in the file of WALLET_DIALECT, or in the program's dialect."
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <>
          <h3>All programs</h3>
          {differing.length === 0 ? (
            <p className={styles.note}>All {data.entries.length} entries are as assumed by default.</p>
          ) : (
            <ul className={styles.changes}>
              {differing.map((entry) => (
                <EntryItem key={entry.path} entry={entry} />
              ))}
            </ul>
          )}
          <OfPrograms dialect={data} />
          <details onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary className={styles.load}>Every entry</summary>
            {isOpen ? (
              <ul className={styles.changes}>
                {data.entries.map((entry) => (
                  <EntryItem key={entry.path} entry={entry} />
                ))}
              </ul>
            ) : null}
          </details>
        </>
      )}
    </Panel>
  );
}
