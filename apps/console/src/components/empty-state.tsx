import { type ReactNode } from 'react';

import styles from './empty-state.module.css';

interface EmptyStateProps {
  /** Such as `Nothing is parked`. */
  readonly title: string;
  /** What that means, or how something would come here. */
  readonly children?: ReactNode;
  /** Nothing to do is good news. */
  readonly isGood?: boolean;
}

export function EmptyState({ title, children, isGood = false }: EmptyStateProps): ReactNode {
  return (
    <div className={styles.empty} data-good={isGood}>
      <p className={styles.title}>{title}</p>
      {children === undefined ? null : <p className={styles.words}>{children}</p>}
    </div>
  );
}
