import { type ReactNode, useState } from 'react';

import { ErrorPanel } from '../components/error-panel.js';
import { useRetryOnReturn } from '../components/use-retry-on-return.js';
import { PartMissing, reloadIfServed } from './parts.js';

interface ScreenErrorProps {
  readonly error: unknown;
  /** Draws the screen again. */
  readonly reset: () => void;
}

function LostPart({ error }: Pick<ScreenErrorProps, 'error'>): ReactNode {
  const [tries, setTries] = useState(0);
  const retry = (): void => {
    void reloadIfServed().then((isServed) => {
      if (!isServed) setTries((count) => count + 1);
    });
  };
  useRetryOnReturn(retry);
  return (
    <>
      <h1>This screen could not be loaded</h1>
      <ErrorPanel error={error} onRetry={retry} />
      <p role="status">{tries === 0 ? '' : `Still no answer, after ${tries} ${tries === 1 ? 'try' : 'tries'}.`}</p>
    </>
  );
}

/** In the place of a screen that cannot be shown; what stands around it stays. */
export function ScreenError({ error, reset }: ScreenErrorProps): ReactNode {
  return error instanceof PartMissing ? <LostPart error={error} /> : <ErrorPanel error={error} reset={reset} />;
}
