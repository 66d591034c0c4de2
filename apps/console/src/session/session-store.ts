import { useSyncExternalStore } from 'react';

import type { Answer } from '../api/api-types.js';

/** Who is signed in, as `GET /me` says. */
export type Me = Answer<'/me'>;
export type Role = Me['role'];

export type SessionState =
  | { readonly status: 'closed'; readonly because: string | null }
  | { readonly status: 'opening' }
  | { readonly status: 'open'; readonly me: Me };

const tokenKey = 'loyaltyd.token';
/** When somebody last did something, in milliseconds. */
export const activityKey = 'loyaltyd.active-at';
const listeners = new Set<() => void>();

/** Of this tab alone, and gone with it. Nothing writes it anywhere else. */
let token = sessionStorage.getItem(tokenKey);
let state: SessionState = token === null ? { status: 'closed', because: null } : { status: 'opening' };

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const sessionToken = (): string | null => token;
export const sessionState = (): SessionState => state;

export function startOpening(newToken: string | null): void {
  token = newToken;
  become({ status: 'opening' });
}

export function sessionIsOpen(me: Me): void {
  if (token !== null) sessionStorage.setItem(tokenKey, token);
  become({ status: 'open', me });
}

/** `because` is shown where one signs in again; null: by one's own wish. */
export function endSession(because: string | null): void {
  token = null;
  for (const name of [tokenKey, activityKey]) sessionStorage.removeItem(name);
  become({ status: 'closed', because });
}

export function onSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): SessionState {
  return useSyncExternalStore(onSession, sessionState);
}

/** Within the frame, which is shown to nobody else. */
export function useMe(): Me {
  const session = useSession();
  if (session.status !== 'open') throw new Error('nobody is signed in');
  return session.me;
}
