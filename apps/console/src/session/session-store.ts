import { useSyncExternalStore } from 'react';

import type { Answer } from '../api/api-types.js';
import { ownKey } from './own-key.js';

/** Who is signed in, as `GET /me` says. */
export type Me = Answer<'/me'>;
export type Role = Me['role'];

/** What is asked while a session opens; `page`: nobody outside this browser yet. */
export type WaitsFor = 'page' | 'daemon' | 'link' | 'provider';

export type SessionState =
  /** `mayRetry`: the token is kept, for nobody could be asked about it. */
  | { readonly status: 'closed'; readonly because: string | null; readonly mayRetry: boolean }
  | { readonly status: 'opening'; readonly waitsFor: WaitsFor }
  | { readonly status: 'open'; readonly me: Me };

const tokenKey = ownKey('token');
const personKey = ownKey('person');
/** When somebody last did something, in milliseconds. */
export const activityKey = ownKey('active-at');
const listeners = new Set<() => void>();

/** Of this tab alone, and gone with it. Nothing writes it anywhere else. */
let token = sessionStorage.getItem(tokenKey);
let heldBack: string | null = null;
let state: SessionState = { status: 'opening', waitsFor: 'page' };

function become(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const sessionToken = (): string | null => token;
export const sessionState = (): SessionState => state;

/** Whose session it is, whatever the token: people have several over a day. */
export const personOf = ({ subject, name }: Me): string => subject ?? name;
/** Whose session this tab had, or has; null: nobody's yet. */
export const lastPerson = (): string | null => sessionStorage.getItem(personKey);

export function startOpening(newToken: string | null, waitsFor: WaitsFor): void {
  token = newToken;
  heldBack = null;
  become({ status: 'opening', waitsFor });
}

export function sessionIsOpen(me: Me): void {
  if (token !== null) sessionStorage.setItem(tokenKey, token);
  sessionStorage.setItem(personKey, personOf(me));
  become({ status: 'open', me });
}

/** `because` is shown where one signs in again; null: by one's own wish. */
export function endSession(because: string | null): void {
  token = null;
  heldBack = null;
  for (const name of [tokenKey, activityKey]) sessionStorage.removeItem(name);
  become({ status: 'closed', because, mayRetry: false });
}

/** Whether the token is good could not be asked: it is kept for another try, here and over a reload. */
export function holdBack(because: string): void {
  heldBack = token;
  token = null;
  become({ status: 'closed', because, mayRetry: heldBack !== null });
}

export const tokenHeldBack = (): string | null => heldBack;

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
