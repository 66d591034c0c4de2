import { type ReactNode, type SubmitEvent } from 'react';

import styles from './login-screen.module.css';
import { openSession } from './open-session.js';

/** Who comes without a session. */
export function LoginScreen({ because }: { readonly because: string | null }): ReactNode {
  const signIn = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    if (typeof token === 'string' && token.trim() !== '') void openSession(token.trim());
  };
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1>Sign in to loyaltyd</h1>
        {because === null ? null : (
          <p role="alert" className={styles.because}>
            {because}
          </p>
        )}
        <form onSubmit={signIn} className={styles.form}>
          <label htmlFor="token">Token</label>
          <input id="token" name="token" type="password" autoComplete="off" spellCheck={false} required />
          <button type="submit" data-kind="main">
            Sign in
          </button>
        </form>
      </div>
    </main>
  );
}
