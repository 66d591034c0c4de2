import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiGet } from '../api/client.js';
import mark from '../icon.svg';
import styles from './login-screen.module.css';
import { goToProvider, type Provider } from './oidc.js';
import { openSession } from './open-session.js';

/** What is to be known before anybody is known: which version this is, and whether there is an identity provider. */
function useConsole(): Answer<'/console'> | null {
  const [answer, setAnswer] = useState<Answer<'/console'> | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    // Without it one can still sign in with a token.
    apiGet('/console', { signal: gone.signal }).then(setAnswer, () => undefined);
    return () => gone.abort();
  }, []);
  return answer;
}

const hostOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

function ProviderButton({ provider }: { readonly provider: Provider }): ReactNode {
  const [problem, setProblem] = useState<string | null>(null);
  const go = (): void => {
    setProblem(null);
    goToProvider(provider).catch((error: unknown) => {
      setProblem(error instanceof Error ? error.message : 'The identity provider could not be asked.');
    });
  };
  return (
    <>
      <button type="button" data-kind="main" onClick={go}>
        Sign in with {hostOf(provider.issuer)}
      </button>
      {problem === null ? null : (
        <p role="alert" className={styles.because}>
          {problem}
        </p>
      )}
    </>
  );
}

function TokenForm({ isMain }: { readonly isMain: boolean }): ReactNode {
  const signIn = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    if (typeof token === 'string' && token.trim() !== '') void openSession(token.trim());
  };
  return (
    <form onSubmit={signIn} className={styles.form}>
      <label htmlFor="token">Token</label>
      <input
        id="token"
        name="token"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        aria-describedby="token-about"
      />
      <p id="token-about" className={styles.about}>
        One of OPS_TOKENS. It stays in this tab and is forgotten with it.
      </p>
      <button type="submit" {...(isMain ? { 'data-kind': 'main' } : {})}>
        Sign in with a token
      </button>
    </form>
  );
}

/** Who comes without a session. */
export function LoginScreen({ because }: { readonly because: string | null }): ReactNode {
  const about = useConsole();
  const provider = about?.oidc ?? null;
  useEffect(() => {
    document.title = 'Sign in · loyaltyd';
  }, []);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <h1 className={styles.title}>
          <img src={mark} alt="" width="28" height="28" />
          Sign in to loyaltyd
        </h1>
        {because === null ? null : (
          <p role="alert" className={styles.because}>
            {because}
          </p>
        )}
        {provider === null ? null : (
          <>
            <ProviderButton provider={provider} />
            <p className={styles.or}>or</p>
          </>
        )}
        <TokenForm isMain={provider === null} />
        <footer className={styles.about}>
          {about === null ? location.host : `${location.host}, loyaltyd ${about.version}`}
        </footer>
      </div>
    </main>
  );
}
