import { type ReactNode, useState } from 'react';

import { ErrorPanel } from '../components/error-panel.js';
import { PartMissing, reloadIfServed } from './parts.js';

interface ScreenErrorProps {
  readonly error: unknown;
  /** Draws the screen again. */
  readonly reset: () => void;
}

/** In the place of a screen that cannot be shown; what stands around it stays. */
export function ScreenError({ error, reset }: ScreenErrorProps): ReactNode {
  const [tries, setTries] = useState(0);
  if (!(error instanceof PartMissing)) return <ErrorPanel error={error} reset={reset} />;
  const retry = async (): Promise<void> => {
    if (!(await reloadIfServed())) setTries((count) => count + 1);
  };
  return (
    <>
      <h1>This screen could not be loaded</h1>
      <ErrorPanel error={error} onRetry={() => void retry()} />
      <p role="status">{tries === 0 ? '' : `Still no answer, after ${tries} ${tries === 1 ? 'try' : 'tries'}.`}</p>
    </>
  );
}
