import { type ReactNode, type RefObject, type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react';

import type { Answer } from '../api/api-types.js';
import { apiGet } from '../api/client.js';
import { answerLimitText, answerMsMax } from './answer-limit.js';
import type { Provider } from './oidc.js';
import { openAgain, openSession } from './open-session.js';
import { joinOtherTab } from './shared-session.js';
import styles from './sign-in.module.css';
import { SignInTitle } from './sign-in-title.js';

/** A browser that is busy lets tabs that nobody looks at wait. */
const otherTabsMs = 3_000;

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

interface ProviderButtonProps {
  readonly provider: Provider;
  readonly isMain: boolean;
}

/** What talks to providers is loaded with the wish to sign in there. */
async function leave(provider: Provider): Promise<void> {
  const { goToProvider } = await import('./oidc.js');
  await goToProvider(provider);
}

type Going = 'no' | 'asking' | 'leaving';

/** Somebody is on the way to the provider's page, unless it does not open, or they come back from it. */
function useLeaving(going: Going, onStay: (problem: string | null) => void): void {
  useEffect(() => {
    if (going !== 'leaving') return undefined;
    const late = `The identity provider’s page did not open within ${answerLimitText}. Try again, or sign in with a token.`;
    const timer = setTimeout(() => onStay(late), answerMsMax);
    const onBack = (): void => onStay(null);
    window.addEventListener('pageshow', onBack);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pageshow', onBack);
    };
  }, [going, onStay]);
}

function ProviderButton({ provider, isMain }: ProviderButtonProps): ReactNode {
  const [going, setGoing] = useState<Going>('no');
  const [problem, setProblem] = useState<string | null>(null);
  const stay = useCallback((why: string | null) => {
    setGoing('no');
    setProblem(why);
  }, []);
  useLeaving(going, stay);
  const go = (): void => {
    if (going !== 'no') return;
    setGoing('asking');
    setProblem(null);
    leave(provider).then(
      () => setGoing('leaving'),
      (error: unknown) => stay(error instanceof Error ? error.message : 'The identity provider could not be asked.'),
    );
  };
  const host = hostOf(provider.issuer);
  return (
    <>
      <button type="button" {...(isMain ? { 'data-kind': 'main' } : {})} aria-disabled={going !== 'no'} onClick={go}>
        Sign in with {host}
      </button>
      <p role="status" className={styles.going}>
        {going === 'no' ? '' : going === 'asking' ? `Asking ${host} …` : `Going to ${host} …`}
      </p>
      {problem === null ? null : (
        <p role="alert" className={styles.because}>
          {problem}
        </p>
      )}
    </>
  );
}

/** Whoever comes here from a tab that is signed in is, too; not who has begun to type a token. */
function useOtherTabs(tokenInput: RefObject<HTMLInputElement | null>, because: string | null): void {
  useEffect(() => {
    const isWanted = (): boolean => (tokenInput.current?.value ?? '') === '';
    const ask = (): void => {
      if (!document.hidden && isWanted()) void joinOtherTab({ waitMs: otherTabsMs, isWanted });
    };
    // Whose session has just ended did nothing to go on with it: a tab that is a moment behind must not keep both awake.
    if (because === null) ask();
    document.addEventListener('visibilitychange', ask);
    window.addEventListener('focus', ask);
    return () => {
      document.removeEventListener('visibilitychange', ask);
      window.removeEventListener('focus', ask);
    };
  }, [tokenInput, because]);
}

interface TokenFormProps {
  readonly isMain: boolean;
  readonly input: RefObject<HTMLInputElement | null>;
}

function TokenForm({ isMain, input }: TokenFormProps): ReactNode {
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
        ref={input}
        name="token"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        aria-describedby="token-about"
      />
      <p id="token-about" className={styles.about}>
        One of OPS_TOKENS. It stays in the memory of this browser’s tabs and is forgotten with them.
      </p>
      <button type="submit" {...(isMain ? { 'data-kind': 'main' } : {})}>
        Sign in with a token
      </button>
    </form>
  );
}

interface LoginScreenProps {
  /** Why one is here; null: by one's own wish. */
  readonly because: string | null;
  /** The token is kept: only nobody could be asked about it. */
  readonly mayRetry: boolean;
}

/** Who comes without a session. */
export function LoginScreen({ because, mayRetry }: LoginScreenProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  useOtherTabs(input, because);
  const about = useConsole();
  const provider = about?.oidc ?? null;
  useEffect(() => {
    document.title = 'Sign in · loyaltyd';
  }, []);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <SignInTitle>Sign in to loyaltyd</SignInTitle>
        {because === null ? null : (
          <p role="alert" className={styles.because}>
            {because}
          </p>
        )}
        {mayRetry ? (
          <button type="button" data-kind="main" onClick={() => void openAgain()}>
            Try again
          </button>
        ) : null}
        {provider === null ? null : (
          <>
            <ProviderButton provider={provider} isMain={!mayRetry} />
            <p className={styles.or}>or</p>
          </>
        )}
        <TokenForm isMain={provider === null && !mayRetry} input={input} />
        <footer className={styles.about}>
          {about === null ? location.host : `${location.host}, loyaltyd ${about.version}`}
        </footer>
      </div>
    </main>
  );
}
