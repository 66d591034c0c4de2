import { type ReactNode } from 'react';

import { useSessionEnd } from '../session/session-end.js';
import { signOut } from '../session/shared-session.js';
import styles from './shell.module.css';

/** One minute before a session ends. It takes no focus: who is typing goes on. */
export function SessionWarning(): ReactNode {
  const near = useSessionEnd();
  if (near === null) return null;
  const isIdle = near.why === 'idle';
  return (
    <div className={styles.warning}>
      <p role="alert">
        {isIdle
          ? 'Your session is about to end: nothing was pressed for a long time.'
          : 'Your session is about to end: the token expires. Sign in again to go on.'}
      </p>
      <span aria-hidden="true">{near.secondsLeft} s</span>
      {isIdle ? (
        // Any click keeps the session; this one is for those who look for a button.
        <button type="button">Stay signed in</button>
      ) : (
        <button type="button" onClick={() => signOut()}>
          Sign in again
        </button>
      )}
    </div>
  );
}
