import { type ReactNode } from 'react';

import { mayBeDone } from './action-once.js';
import { ErrorPanel } from './error-panel.js';

/** Why an action was not done, or that nobody knows whether it was. */
export function ActionFailure({ error }: { readonly error: unknown }): ReactNode {
  return (
    <>
      {mayBeDone(error) ? (
        <p role="alert">
          <b>It may have been done.</b> Nothing is sent again by itself: look how things stand before you ask once more.
        </p>
      ) : null}
      <ErrorPanel error={error} />
    </>
  );
}
