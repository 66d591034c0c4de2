import { type ReactNode } from 'react';

import type { Pages } from '../api/use-pages.js';
import styles from './data-table.module.css';
import { ErrorPanel } from './error-panel.js';

interface TableEndProps {
  readonly list: Pages<unknown>;
  /** Much was searched, and little found. */
  readonly isSearchLong: boolean;
}

/** What stands below the last row that was read. */
export function TableEnd({ list, isSearchLong }: TableEndProps): ReactNode {
  const { rows, hasMore, isLoading, error, loadMore } = list;
  if (error !== null) return <ErrorPanel error={error} onRetry={loadMore} />;
  const count = rows.length.toLocaleString('en');
  return (
    <p className={styles.tail} role="status">
      {isLoading ? 'Reading' : `${count} shown${hasMore ? '' : ', that is all'}`}
      {hasMore && isSearchLong && !isLoading ? (
        <button type="button" onClick={loadMore}>
          Search further back
        </button>
      ) : null}
    </p>
  );
}
