import { type ReactNode } from 'react';

import { DocsLink } from '../components/docs-link.js';
import type { DoctorCheck } from './check-areas.js';
import styles from './checks.module.css';

interface StateLineProps extends Pick<DoctorCheck, 'state' | 'detail' | 'remedy' | 'page'> {
  /** What its state is called. */
  readonly word: string;
  readonly name: ReactNode;
}

/** One thing that was looked at: how it stands, what to do, and where more is said. */
export function StateLine({ state, word, name, detail, remedy, page }: StateLineProps): ReactNode {
  return (
    <li className={styles.check}>
      <span className={styles.state} data-state={state}>
        {word}
      </span>
      <span className={styles.name}>{name}</span>
      <span className={styles.detail}>
        {detail}
        <span className={styles.remedy}>
          {remedy === null ? null : `${remedy} `}
          <DocsLink page={page} />
        </span>
      </span>
    </li>
  );
}
