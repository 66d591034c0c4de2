import { type ReactNode, useEffect, useRef, useState } from 'react';

import styles from './action-dialog.module.css';
import { Money } from './money.js';
import type { Amount } from './money-words.js';

/** What an action will do. */
export interface Effect {
  /** In one sentence or two. */
  readonly words: ReactNode;
  readonly count?: { readonly value: number; readonly of: string; readonly isExact?: boolean };
  readonly members?: number;
  readonly money?: readonly Amount[];
  /** Those that it will be done to; ten are shown. */
  readonly items?: readonly { readonly id: string; readonly text: ReactNode }[];
}

const itemsShown = 10;
const figure = (value: number): string => value.toLocaleString('en');

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className={styles.about}>{name}</dt>
      <dd className={styles.figure}>{children}</dd>
    </div>
  );
}

function Figures({ count, members, money = [] }: Effect): ReactNode {
  return (
    <dl className={styles.figures}>
      {count === undefined ? null : (
        <Figure name={count.of}>{`${count.isExact === false ? 'about ' : ''}${figure(count.value)}`}</Figure>
      )}
      {members === undefined ? null : <Figure name="members">{figure(members)}</Figure>}
      {money.length === 0 ? null : (
        <Figure name="money">
          <Money of={money} />
        </Figure>
      )}
    </dl>
  );
}

/** Only where it scrolls it is a stop of the keyboard, whose arrows move it then. */
function Items({ children }: { readonly children: ReactNode }): ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const [isScrolling, setScrolling] = useState(false);
  useEffect(() => {
    const { current } = list;
    if (current === null) return undefined;
    const observer = new ResizeObserver(() => setScrolling(current.scrollHeight > current.clientHeight));
    for (const one of [current, ...current.children]) observer.observe(one);
    return () => observer.disconnect();
  }, [children]);
  return (
    <ol ref={list} className={styles.items} aria-label="The first of them" {...(isScrolling ? { tabIndex: 0 } : {})}>
      {children}
    </ol>
  );
}

export function ActionEffect({ effect }: { readonly effect: Effect }): ReactNode {
  const { words, count, items = [] } = effect;
  const others = (count?.value ?? items.length) - Math.min(items.length, itemsShown);
  return (
    <>
      <p>{words}</p>
      <Figures {...effect} />
      {items.length === 0 ? null : (
        <Items>
          {items.slice(0, itemsShown).map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
          {others > 0 ? <li className={styles.about}>and {figure(others)} more</li> : null}
        </Items>
      )}
    </>
  );
}
