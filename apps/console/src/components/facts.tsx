import { Fragment, type ReactNode } from 'react';

import styles from './facts.module.css';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** What is known of one thing, name by name. */
export function Facts({ items }: { readonly items: readonly Fact[] }): ReactNode {
  return (
    <dl className={styles.facts}>
      {items.map(({ name, value }) => (
        <Fragment key={name}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
