import { type ReactNode, useEffect, useSyncExternalStore } from 'react';

import { Icon } from '../components/icon.js';
import styles from './shell.module.css';

const shownMs = 6_000;
const listeners = new Set<() => void>();
let text: string | null = null;

function show(next: string | null): void {
  text = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Says what was done, to eyes and to screen readers, for some seconds or until somebody closes it. */
export function announce(what: string): void {
  show(what);
}

/** Where it is said: once, in the frame. */
export function Announcements(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => text);
  useEffect(() => {
    if (shown === null) return undefined;
    const timer = setTimeout(() => show(null), shownMs);
    return () => clearTimeout(timer);
  }, [shown]);
  return (
    <div role="status" className={styles.announcements}>
      {shown === null ? null : (
        <div className={styles.announcement}>
          <p>{shown}</p>
          <button type="button" data-kind="plain" aria-label="Close this message" onClick={() => show(null)}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
