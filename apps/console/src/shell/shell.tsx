import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';

import mark from '../icon.svg';
import { hasDrafts } from '../session/drafts.js';
import { useMe } from '../session/session-store.js';
import { announce, Announcements } from './announcements.js';
import { Commands } from './commands.js';
import { ConnectionBar } from './connection-bar.js';
import { Drawer } from './drawer.js';
import { LiveSign } from './live-sign.js';
import { Navigation } from './navigation.js';
import { loadParts, part } from './parts.js';
import { SessionWarning } from './session-warning.js';
import styles from './shell.module.css';
import { TimeZoneSwitch } from './time-zone-switch.js';

// Menus and what places them are a quarter of what the frame would be: they come after it.
const UserMenu = lazy(part(async () => import('./user-menu.js').then((file) => ({ default: file.UserMenu }))));

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

function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Who goes to another screen by keyboard is in it then; the first one is where the browser begins. */
function useFocusAfterGoing(): void {
  const pathname = useLocation({ select: (location) => location.pathname });
  const before = useRef(pathname);
  useEffect(() => {
    if (before.current !== pathname) focusMain();
    before.current = pathname;
  }, [pathname]);
}

/** When the first screen stands, ms: what else there is may be loaded then. */
const restMs = 2_000;

function useAllPartsSoon(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadParts(), restMs);
    return () => clearTimeout(timer);
  }, []);
}

/** Who signs in again finds the page, and has to open what they were typing in. */
function useKeptWords(): void {
  useEffect(() => {
    if (hasDrafts()) announce('What you were typing is kept: open it again.');
  }, []);
}

/** The frame around every screen. */
export function Shell(): ReactNode {
  useFocusAfterGoing();
  useAllPartsSoon();
  useKeptWords();
  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          // Below `<base>` this address is another page's.
          event.preventDefault();
          focusMain();
        }}
      >
        Skip to the content
      </a>
      <header className={styles.top}>
        <Drawer />
        <Link to="/" className={styles.name}>
          <img src={mark} alt="" width="20" height="20" />
          loyaltyd
        </Link>
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
        <ConnectionBar />
        <Notices />
        <Outlet />
      </main>
      <Announcements />
      <SessionWarning />
    </div>
  );
}
