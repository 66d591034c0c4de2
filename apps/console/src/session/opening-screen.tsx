import { type ReactNode, useEffect, useState } from 'react';

import { answerLimitText } from './answer-limit.js';
import type { WaitsFor } from './session-store.js';
import styles from './sign-in.module.css';
import { SignInTitle } from './sign-in-title.js';

const words: Readonly<Record<WaitsFor, string>> = {
  page: 'Opening the console',
  daemon: 'Asking the daemon who you are',
  link: 'Asking the daemon whether the link is good',
  provider: 'Asking the identity provider for your token',
};

/** Then it is said that it takes long. */
const slowMs = 3_000;

function Slow(): ReactNode {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className={styles.about}>
      {isSlow ? `This takes longer than usual. After ${answerLimitText} it ends, and you are told what to do.` : ''}
    </p>
  );
}

/** While it is asked who somebody is: seen only where that takes longer than a moment. */
export function OpeningScreen({ waitsFor }: { readonly waitsFor: WaitsFor }): ReactNode {
  return (
    <div className={styles.page}>
      <div className={`${styles.card} ${styles.waiting}`}>
        <header>
          <SignInTitle>Signing in to loyaltyd</SignInTitle>
        </header>
        <main className={styles.progress}>
          <p role="status">{words[waitsFor]} …</p>
          <div className={styles.bar} />
          <Slow key={waitsFor} />
        </main>
      </div>
    </div>
  );
}
