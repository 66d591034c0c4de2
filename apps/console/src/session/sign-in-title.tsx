import { type ReactNode } from 'react';

import mark from '../icon.svg';
import styles from './sign-in.module.css';

/** Of the one card in an empty page: where somebody signs in, or waits for it. */
export function SignInTitle({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <h1 className={styles.title}>
      <img src={mark} alt="" width="28" height="28" />
      {children}
    </h1>
  );
}
