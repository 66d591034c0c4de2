import { type ReactNode } from 'react';

import { mayBeDone } from './deed-once.js';
import styles from './deed-dialog.module.css';
import { ErrorPanel } from './error-panel.js';

/** Why a deed was not done, or that nobody knows whether it was. */
export function DeedFailure({ error }: { readonly error: unknown }): ReactNode {
  return (
    <>
      {mayBeDone(error) ? (
        <p className={styles.danger}>
          It may have been done. Nothing is sent again by itself: look how things stand before you ask once more.
        </p>
      ) : null}
      <ErrorPanel error={error} />
    </>
  );
}
