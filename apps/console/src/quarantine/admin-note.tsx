import { type ReactNode } from 'react';

import styles from './correction-panel.module.css';
import type { AdminNeeds } from './record-changes.js';

/** What of a correction takes an admin, before it is sent. */
export function AdminNote({ needs }: { readonly needs: AdminNeeds }): ReactNode {
  const { surely, perhaps } = needs;
  if (surely.length > 0) return <p className={styles.admin}>This takes an admin, because of: {surely.join(', ')}.</p>;
  if (perhaps.length === 0) return null;
  return (
    <p className={styles.admin}>
      An operator may change this, unless a purchase, a grant or a pass is known by it in the programs file. Then the
      daemon asks for an admin and changes nothing: {perhaps.join(', ')}.
    </p>
  );
}
