import { type ReactNode } from 'react';

import { usePreferences } from '../shell/preferences.js';
import styles from './empty-state.module.css';
import { useNowMs } from './time-text.js';
import { listText } from './time-words.js';

interface EmptyStateProps {
  /** Such as `Nothing is parked`. */
  readonly title: string;
  /** What that means, or how something would come here. */
  readonly children?: ReactNode;
  /** Nothing to do is good news, as of when that was read, epoch ms: it is never said without. */
  readonly goodAsOfMs?: number;
}

function AsOf({ atMs }: { readonly atMs: number }): ReactNode {
  const { timeZone } = usePreferences();
  const nowMs = useNowMs();
  return (
    <p className={styles.words}>
      Read at <time dateTime={new Date(atMs).toISOString()}>{listText(atMs, nowMs, timeZone)}</time>.
    </p>
  );
}

export function EmptyState({ title, children, goodAsOfMs }: EmptyStateProps): ReactNode {
  return (
    <div className={styles.empty} data-good={goodAsOfMs !== undefined}>
      <p className={styles.title}>{title}</p>
      {children === undefined ? null : <p className={styles.words}>{children}</p>}
      {goodAsOfMs === undefined ? null : <AsOf atMs={goodAsOfMs} />}
    </div>
  );
}
