import { useState } from 'react';

import { ownKey } from './own-key.js';
import { lastPerson, onSession, personOf, sessionState } from './session-store.js';

/** What somebody was typing when their session ended. */
interface Kept {
  readonly person: string | null;
  /** Epoch ms. */
  readonly endedAtMs: number;
  readonly texts: Readonly<Record<string, string>>;
}

const storageKey = ownKey('drafts');
/** It may be personal: it is not kept for longer, nor for anybody else, nor for who signs out. */
const keptMsMax = 3_600_000;
const drafts = new Map<string, string>();

function takeKept(): Kept | null {
  const text = sessionStorage.getItem(storageKey);
  sessionStorage.removeItem(storageKey);
  return text === null ? null : (JSON.parse(text) as Kept);
}

function follow(): void {
  const session = sessionState();
  if (session.status === 'opening') return;
  if (session.status === 'open') {
    const kept = takeKept();
    drafts.clear();
    if (kept?.person !== personOf(session.me) || Date.now() - kept.endedAtMs > keptMsMax) return;
    for (const [name, text] of Object.entries(kept.texts)) drafts.set(name, text);
    return;
  }
  if (session.because === null) drafts.clear();
  if (drafts.size === 0) return;
  const kept: Kept = { person: lastPerson(), endedAtMs: Date.now(), texts: Object.fromEntries(drafts) };
  sessionStorage.setItem(storageKey, JSON.stringify(kept));
}

onSession(follow);
// Parts of the console come after the session.
if (sessionState().status === 'open') follow();

/** Whether something was kept over the end of a session, and not yet gone on with or left. */
export const hasDrafts = (): boolean => drafts.size > 0;

export interface Draft {
  readonly text: string;
  /** It is what was typed before the session ended. */
  readonly isKept: boolean;
  readonly change: (text: string) => void;
  /** It was used, or left on purpose. */
  readonly drop: () => void;
}

/** A text that somebody types, kept where their session ends meanwhile. @param name what it is of, below this page */
export function useDraft(name: string, begin: () => string): Draft {
  const [key] = useState(() => `${location.pathname} ${name}`);
  const [isKept] = useState(() => drafts.has(key));
  const [text, setText] = useState(() => drafts.get(key) ?? begin());
  return {
    text,
    isKept,
    change: (next) => {
      drafts.set(key, next);
      setText(next);
    },
    drop: () => drafts.delete(key),
  };
}
