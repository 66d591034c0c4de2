import { type ReactNode, useState } from 'react';

import { announce } from '../shell/announcements.js';
import styles from './producers-screen.module.css';

/** Browsers have no clipboard where the page came without TLS: then the text is shown, to be taken by hand. */
export function CopyScorecard({ text }: { readonly text: string }): ReactNode {
  const [isShown, setShown] = useState(false);
  const copy = (): void => {
    const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
    if (clipboard === undefined) setShown(true);
    else {
      clipboard.writeText(text).then(
        () => announce('The scorecard is copied, as Markdown.'),
        () => setShown(true),
      );
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        Copy scorecard
      </button>
      {isShown ? (
        <label className={styles.text}>
          The browser does not allow copying. Select it here:
          <textarea rows={6} readOnly value={text} onFocus={(event) => event.target.select()} autoFocus />
        </label>
      ) : null}
    </>
  );
}
