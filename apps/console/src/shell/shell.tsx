import { Outlet } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';

import { useMe } from '../session/session-store.js';
import { Announcements } from './announcements.js';
import { Commands } from './commands.js';
import { Drawer } from './drawer.js';
import { LiveSign } from './live-sign.js';
import { Navigation } from './navigation.js';
import { SessionWarning } from './session-warning.js';
import styles from './shell.module.css';
import { TimeZoneSwitch } from './time-zone-switch.js';

// Menus and what places them are a quarter of what the frame would be: they come after it.
const UserMenu = lazy(async () => import('./user-menu.js').then((file) => ({ default: file.UserMenu })));

/** What everybody must know before they act here. */
function Notices(): ReactNode {
  const { readOnly, limitedTo } = useMe();
  const notices = [
    ...(readOnly ? ['Read-only: this daemon lets nobody change anything (OPS_READ_ONLY).'] : []),
    ...(limitedTo === null ? [] : [`You see ${limitedTo.join(', ')} only: your token is limited to that.`]),
  ];
  return notices.map((text) => (
    <p key={text} className={styles.notice}>
      {text}
    </p>
  ));
}

/** The frame around every screen. */
export function Shell(): ReactNode {
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.top}>
        <Drawer />
        <span className={styles.name}>loyaltyd</span>
        <span className={styles.space} />
        <Commands />
        <LiveSign />
        <TimeZoneSwitch />
        <Suspense>
          <UserMenu />
        </Suspense>
      </header>
      <div className={styles.side}>
        <Navigation />
      </div>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Notices />
        <Outlet />
      </main>
      <Announcements />
      <SessionWarning />
    </div>
  );
}
