import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';

import { apiQuery } from '../api/queries.js';
import { ErrorPanel } from '../components/error-panel.js';
import { JsonView } from '../components/json-view.js';
import { TimeText } from '../components/time-text.js';
import styles from './programs-panel.module.css';
import { changeText, type ProgramsLoad, shortHash } from './programs-words.js';

function Changes({ load: { changes, hasMoreChanges } }: { readonly load: ProgramsLoad }): ReactNode {
  if (changes === null) return <p className={styles.note}>What it said before is not kept.</p>;
  if (changes.length === 0) return <p className={styles.note}>Nothing that counts.</p>;
  return (
    <ul className={styles.changes}>
      {changes.map((change) => (
        <li key={change.path}>
          <code>{change.path}</code> {changeText(change)}
        </li>
      ))}
      {hasMoreChanges ? <li>and more</li> : null}
    </ul>
  );
}

function Load({ load, isOpen }: { readonly load: ProgramsLoad; readonly isOpen: boolean }): ReactNode {
  const { at, hash, host, by, reason, changes } = load;
  return (
    <details open={isOpen}>
      <summary className={styles.load}>
        <TimeText at={at} /> <code title={hash}>{shortHash(hash)}</code>{' '}
        {changes === null ? '' : `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}, `}
        {by === null ? `taken over by ${host} itself` : `asked for by ${by}`}
      </summary>
      {reason === null ? null : <p className={styles.note}>Why: {reason}</p>}
      <Changes load={load} />
    </details>
  );
}

function Content({ content }: { readonly content: unknown }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.load}>Every setting, defaults spelled out</summary>
      {isOpen ? <JsonView value={content} what="the programs file" /> : null}
    </details>
  );
}

/** The file that the answering process works by, and what changed in the last ones. */
export function ProgramsFile(): ReactNode {
  const { data, error, refetch } = useQuery(apiQuery('/programs', {}));
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <p aria-busy="true">Reading the programs file.</p>;
  const { hash, since, content, loads } = data;
  return (
    <>
      <h3>As it was read</h3>
      <p>
        The answering process works by <code title={hash}>{shortHash(hash)}</code> since <TimeText at={since} />.
      </p>
      <Content content={content} />
      <h3>What changed</h3>
      {loads.map((load, index) => (
        <Load key={load.id} load={load} isOpen={index === 0} />
      ))}
    </>
  );
}
