import { type ReactNode } from 'react';

import { TimeText } from '../components/time-text.js';
import styles from './now-table.module.css';
import type { Stats } from './trouble.js';

const hashChars = 8;

/** Every process that reported within the last seconds. */
export function ProcessList({ stats: { processes } }: { readonly stats: Stats }): ReactNode {
  return (
    <section aria-labelledby="processes">
      <h2 id="processes" className={styles.title}>
        Processes
      </h2>
      <div className={styles.frame} tabIndex={0} role="group" aria-labelledby="processes">
        <table className={`${styles.table} ${styles.told}`}>
          <thead>
            <tr>
              <th scope="col">Host</th>
              <th scope="col" className={styles.words}>
                Roles
              </th>
              <th scope="col" className={styles.minor}>
                Programs file
              </th>
              <th scope="col">Started</th>
              <th scope="col" className={styles.minor}>
                Seen
              </th>
            </tr>
          </thead>
          <tbody>
            {processes.map(({ id, host, roles, programs, startedAt, seenAt, isSelf }) => (
              <tr key={id}>
                <th scope="row" title={id}>
                  {host}
                  {isSelf ? <span className={styles.zero}> (answers you)</span> : null}
                </th>
                <td className={styles.words}>{roles.join(', ')}</td>
                <td className={styles.minor}>
                  <code title={programs}>{programs.slice(0, hashChars)}</code>
                </td>
                <td>
                  <TimeText at={startedAt} />
                </td>
                <td className={styles.minor}>
                  <TimeText at={seenAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
