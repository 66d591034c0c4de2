import { lazy, type ReactNode, Suspense, useState } from 'react';

import { Icon } from '../components/icon.js';
import styles from './drawer.module.css';
import { part } from './parts.js';

const DrawerPanel = lazy(part(async () => import('./drawer-panel.js').then((file) => ({ default: file.DrawerPanel }))));

/** Opens the navigation where there is no room for a side bar. */
export function Drawer(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        data-kind="plain"
        aria-label="Screens"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="menu" />
      </button>
      {isOpen ? (
        <Suspense>
          <DrawerPanel onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
