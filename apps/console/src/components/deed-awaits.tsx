import { type ReactNode } from 'react';

import type { Approval } from '../api/api-types.js';
import { CopyButton } from './copy-button.js';
import styles from './deed-dialog.module.css';
import { TimeText } from './time-text.js';

interface DeedAwaitsProps {
  readonly approval: Approval;
  readonly onClose: () => void;
}

/** Nothing is done yet: it waits for a second person. */
export function DeedAwaits({ approval, onClose }: DeedAwaitsProps): ReactNode {
  return (
    <div className={styles.form}>
      <p role="status" className={styles.undo}>
        Nothing is done yet. Another admin must approve it, until <TimeText at={approval.until} isLong />; then it
        lapses.
      </p>
      <p>
        It waits as <code>{approval.id}</code> <CopyButton text={approval.id} what="the id of the request" />
      </p>
      <div className={styles.buttons}>
        <button type="button" data-kind="main" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}
