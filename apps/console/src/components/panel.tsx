import { type ReactNode, useId } from 'react';

import styles from './panel.module.css';

interface PanelProps {
  readonly title: string;
  /** What is in it speaks for itself to whoever sees it. */
  readonly isTitleUnseen?: boolean;
  /** One line about what is shown. */
  readonly about?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A titled part of a screen. */
export function Panel({ title, isTitleUnseen = false, about, actions, children }: PanelProps): ReactNode {
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={id}>
      {isTitleUnseen ? (
        <h2 id={id} className="unseen">
          {title}
        </h2>
      ) : (
        <div className={styles.head}>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          {actions}
        </div>
      )}
      {about === undefined ? null : <p className={styles.about}>{about}</p>}
      {children}
    </section>
  );
}
