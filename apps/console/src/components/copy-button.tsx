import { type ReactNode, useEffect, useState } from 'react';

import styles from './copy-button.module.css';
import { Icon } from './icon.js';

const shownMs = 1_500;

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, such as `the intent's id`. */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    // Browsers have no clipboard where the page came without TLS.
    const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
    if (clipboard === undefined) setOutcome('refused');
    else {
      clipboard.writeText(text).then(
        () => setOutcome('copied'),
        () => setOutcome('refused'),
      );
    }
  };
  return (
    <button type="button" data-kind="plain" className={styles.button} aria-label={`Copy ${what}`} onClick={copy}>
      <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
      <span role="status" className="unseen">
        {outcome === null ? '' : outcome === 'copied' ? 'Copied' : 'The browser does not allow it'}
      </span>
    </button>
  );
}
