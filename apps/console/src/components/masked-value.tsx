import { type ReactNode } from 'react';

import { isMasked, mask } from './mask.js';
import styles from './masked-value.module.css';

/** A text that may be masked: then it is seen and heard that something was left out. */
export function MaskedValue({ text }: { readonly text: string }): ReactNode {
  if (!isMasked(text)) return text;
  const pieces = text.split(mask);
  return pieces.map((piece, index) => (
    <span key={index}>
      {piece}
      {index === pieces.length - 1 ? null : (
        <span className={styles.mask} title="Personal: an admin can unmask a member, and the audit keeps it">
          <span aria-hidden="true">{mask}</span>
          <span className="unseen">masked</span>
        </span>
      )}
    </span>
  ));
}
