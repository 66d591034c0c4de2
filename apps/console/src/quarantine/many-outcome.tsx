import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';

import { Panel } from '../components/panel.js';
import styles from './many-outcome.module.css';
import { type ManyAction, type ManyResult, resultWords } from './many-result.js';

interface ManyOutcomeProps {
  readonly action: ManyAction;
  readonly result: ManyResult;
  readonly onClose: () => void;
}

/** What became of many records, and why some stay. */
export function ManyOutcome({ action, result, onClose }: ManyOutcomeProps): ReactNode {
  const { failed, failures, remaining } = result;
  const unnamed = failed - failures.length;
  return (
    <Panel
      title={`${resultWords(result, action)}.`}
      actions={
        <button type="button" onClick={onClose}>
          Close
        </button>
      }
    >
      {remaining === 0 ? null : <p>The rest was not tried. Do it once more to continue.</p>}
      {failures.length === 0 ? null : (
        <ul className={styles.failures} tabIndex={0} aria-label="Those that stay refused">
          {failures.map(({ id, detail }) => (
            <li key={id}>
              <Link to="/quarantine/$id" params={{ id: String(id) }}>
                {id}
              </Link>{' '}
              {detail}
            </li>
          ))}
        </ul>
      )}
      {unnamed > 0 ? <p>And {unnamed.toLocaleString('en')} more; the daemon names the first hundred.</p> : null}
    </Panel>
  );
}
