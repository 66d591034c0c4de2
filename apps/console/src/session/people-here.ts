import { ownKey } from './own-key.js';
import { onSession, personOf, sessionState } from './session-store.js';

const prefix = ownKey('person ');

let shown: string | null = null;
let release = (): void => undefined;

/** Browsers have none outside https, but for this very machine. */
const locks = (): LockManager | null => ('locks' in navigator ? navigator.locks : null);

function follow(): void {
  const session = sessionState();
  const person = session.status === 'open' ? personOf(session.me) : null;
  if (person === shown) return;
  release();
  shown = person;
  if (person === null) return;
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  locks()
    ?.request(`${prefix}${person}`, { mode: 'shared' }, () => ended)
    .catch(() => undefined);
}

/** Shows the other tabs whose session this is while it is open: by a lock, which the browser takes back from a tab that is gone. */
export function showWhoIsHere(): void {
  onSession(follow);
  follow();
}

/** As whom the tabs of this browser are signed in, those, too, that are too busy to answer. */
export async function peopleHere(): Promise<readonly string[]> {
  const { held = [] } = (await locks()?.query()) ?? {};
  return held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}
