import { type ReactNode, useEffect } from 'react';

import styles from './page-header.module.css';

interface PageHeaderProps {
  /** Of the screen, and of the browser's tab. */
  readonly title: string;
  /** Beside the title: a status badge. */
  readonly badge?: ReactNode;
  /** One line about what is shown. */
  readonly about?: ReactNode;
  /** Buttons, the most used first. */
  readonly children?: ReactNode;
}

/** The head of every screen: its only `h1`. */
export function PageHeader({ title, badge, about, children }: PageHeaderProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · loyaltyd`;
  }, [title]);
  return (
    <header className={styles.header}>
      <div className={styles.words}>
        <h1 className={styles.title}>
          {title} {badge}
        </h1>
        {about === undefined ? null : <p className={styles.about}>{about}</p>}
      </div>
      {children === undefined ? null : <div className={styles.actions}>{children}</div>}
    </header>
  );
}
