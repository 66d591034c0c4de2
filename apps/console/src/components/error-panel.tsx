import { type ReactNode } from 'react';

import { ApiProblem } from '../api/api-problem.js';
import { meansAway, useAway } from '../api/connection.js';
import styles from './error-panel.module.css';
import { useRetryOnReturn } from './use-retry-on-return.js';

interface ErrorPanelProps {
  readonly error: unknown;
  /** Tries again; absent where there is nothing to try. */
  readonly onRetry?: () => void;
  /** As the router calls the same. */
  readonly reset?: () => void;
}

function factsOf({ code, requestId, retryAfterSeconds }: ApiProblem): string {
  const parts = [
    `Code ${code}`,
    ...(requestId === null ? [] : [`request ${requestId}`]),
    ...(retryAfterSeconds === null ? [] : [`try again in ${retryAfterSeconds} s`]),
  ];
  return parts.join(', ');
}

function wordsOf(error: unknown): Readonly<Record<'detail' | 'facts', string | null>> & { readonly title: string } {
  if (error instanceof ApiProblem) return { title: error.title, detail: error.detail, facts: factsOf(error) };
  const detail = error instanceof Error ? error.message : null;
  return { title: 'Something went wrong in this page', detail, facts: null };
}

/** What went wrong, in the daemon's words, with what one needs to find it in the log. */
export function ErrorPanel({ error, onRetry, reset }: ErrorPanelProps): ReactNode {
  const retry = onRetry ?? reset;
  const isAway = useAway() !== null && meansAway(error);
  useRetryOnReturn(isAway ? retry : undefined);
  // Why nothing is read stands above, once.
  if (isAway && retry !== undefined) {
    return (
      <p className={styles.away}>This was not read, or is not up to date: it is read as soon as the daemon answers.</p>
    );
  }
  const { title, detail, facts } = wordsOf(error);
  return (
    <div className={styles.panel} role="alert">
      <p className={styles.title}>{title}</p>
      {detail === null ? null : <p>{detail}</p>}
      {facts === null ? null : <p className={styles.facts}>{facts}</p>}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
