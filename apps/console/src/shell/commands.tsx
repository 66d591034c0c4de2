import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';

import { Icon } from '../components/icon.js';
import { part } from './parts.js';
import styles from './shell.module.css';
import { useKeys } from './use-keys.js';

const Palette = lazy(part(async () => import('./palette.js').then((file) => ({ default: file.Palette }))));
const Help = lazy(part(async () => import('./help.js').then((file) => ({ default: file.Help }))));

const isMac = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);

/** The palette and the help, with the buttons and keys that open them. */
export function Commands(): ReactNode {
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const onPalette = useCallback(() => setOpen('palette'), []);
  const onHelp = useCallback(() => setOpen('help'), []);
  const onClose = useCallback(() => setOpen(null), []);
  useKeys({ isOpening: open !== null, onPalette, onHelp });
  return (
    <>
      <button type="button" className={styles.search} aria-haspopup="dialog" onClick={onPalette}>
        <Icon name="search" />
        <span className={styles.searchWords}>Intent, purchase, member, screen</span>
        <span className="unseen">: find</span>
        <kbd className={styles.searchKey}>{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <button type="button" data-kind="plain" aria-label="Help and keys" aria-haspopup="dialog" onClick={onHelp}>
        <Icon name="help" />
      </button>
      <Suspense>
        {open === 'palette' ? <Palette onClose={onClose} onHelp={onHelp} /> : null}
        {open === 'help' ? <Help onClose={onClose} /> : null}
      </Suspense>
    </>
  );
}
