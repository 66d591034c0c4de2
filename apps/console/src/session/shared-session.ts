import { apiUrl } from '../api/client.js';
import { endOf, lastActivity } from './activity.js';
import { answerLimit } from './answer-limit.js';
import { ownKey } from './own-key.js';
import { peopleHere, showWhoIsHere } from './people-here.js';
import {
  endSession,
  lastPerson,
  type Me,
  personOf,
  sessionIsOpen,
  sessionState,
  sessionToken,
  startOpening,
} from './session-store.js';

/** What a tab that is signed in gives to another one. */
interface Held {
  readonly token: string;
  readonly person: string;
  /** Epoch ms. */
  readonly activeAtMs: number;
}

type Said =
  | { readonly kind: 'ask'; readonly by: string }
  | { readonly kind: 'held'; readonly to: string; readonly held: Held }
  | { readonly kind: 'signed-out'; readonly person: string; readonly mark: string };

/** After the first answer the others come at once. */
const furtherMs = 100;
const randomWords = 4;

/**
 * Below a path of its own the console has neighbours at its origin, whose scripts would hear all that is said here: there
 * each tab signs in by itself, and is told no more than that somebody has signed out.
 */
export const isAlone = new URL(document.baseURI).pathname === '/';
const channel = new BroadcastChannel(ownKey('session-1'));
const markKey = ownKey('signed-out');
const seenKey = ownKey('signed-out-seen');

export const signedOutReason = 'You signed out in another tab.';

const say = (said: Said): void => channel.postMessage(said);
const random = (): string => crypto.getRandomValues(new Uint32Array(randomWords)).join('-');

let signOutsHeard = 0;

function heldHere(): Held | null {
  const [session, token] = [sessionState(), sessionToken()];
  if (session.status !== 'open' || token === null || endOf(session.me).atMs <= Date.now()) return null;
  return { token, person: personOf(session.me), activeAtMs: lastActivity() };
}

/** Whoever signed out here, or was heard to, is known to this tab. */
function noteMark(mark: string | null): void {
  if (mark === null) sessionStorage.removeItem(seenKey);
  else sessionStorage.setItem(seenKey, mark);
}

function hear(said: Said): void {
  if (said.kind === 'ask' && isAlone) {
    const held = heldHere();
    if (held !== null) say({ kind: 'held', to: said.by, held });
  }
  if (said.kind !== 'signed-out') return;
  signOutsHeard += 1;
  noteMark(said.mark);
  if (lastPerson() !== said.person) return;
  const { status } = sessionState();
  if (status !== 'closed') endSession(signedOutReason);
}

/** From now on this tab answers the others, for as long as it is signed in. */
export function listenToOtherTabs(): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Said>) => hear(data));
  if (isAlone) showWhoIsHere();
  // Back from another page: what was said meanwhile was not heard.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && sessionState().status === 'open' && missedSignOut()) endSession(signedOutReason);
  });
}

/** @param waitMs for the first answer: nobody says that there is no other tab */
async function askOtherTabs(waitMs: number): Promise<readonly Held[]> {
  if (!isAlone) return [];
  const by = random();
  const answers: Held[] = [];
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      channel.removeEventListener('message', onAnswer);
      resolve(answers);
    };
    let timer = setTimeout(finish, waitMs);
    const onAnswer = ({ data }: MessageEvent<Said>): void => {
      if (data.kind !== 'held' || data.to !== by) return;
      answers.push(data.held);
      clearTimeout(timer);
      timer = setTimeout(finish, furtherMs);
    };
    channel.addEventListener('message', onAnswer);
    say({ kind: 'ask', by });
  });
}

/** Whether the daemon takes it, asked before anything is changed here. */
async function meBy(token: string): Promise<Me | null> {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const options = { headers, cache: 'no-store', credentials: 'omit', signal: answerLimit() } as const;
  try {
    const response = await fetch(apiUrl('/me'), options);
    return response.ok ? ((await response.json()) as Me) : null;
  } catch {
    return null;
  }
}

interface JoinOptions {
  /** How long to wait for another tab. */
  readonly waitMs: number;
  /** Asked before it happens: somebody may have begun to sign in otherwise. */
  readonly isWanted?: () => boolean;
}

/**
 * Signs in as another tab of this browser is. A tab that was somebody's becomes nobody else's by itself, and where others
 * are signed in as several people none of them is taken.
 */
export async function joinOtherTab({ waitMs, isWanted = () => true }: JoinOptions): Promise<boolean> {
  const heardBefore = signOutsHeard;
  const answers = await askOtherTabs(waitMs);
  const mine = lastPerson();
  const isMeant = (person: string): boolean => mine === null || person === mine;
  const fitting = answers.filter(({ person }) => isMeant(person));
  const [latest] = fitting.toSorted((a, b) => b.activeAtMs - a.activeAtMs);
  const people = [...fitting.map(({ person }) => person), ...(await peopleHere()).filter(isMeant)];
  if (latest === undefined || people.some((person) => person !== latest.person)) return false;
  const me = await meBy(latest.token);
  if (me === null || signOutsHeard > heardBefore || sessionToken() !== null || !isWanted()) return false;
  startOpening(latest.token, 'daemon');
  openHere(me);
  return true;
}

/** The session begins in this tab: what others did before does not end it. */
export function openHere(me: Me): void {
  noteMark(localStorage.getItem(markKey));
  sessionIsOpen(me);
}

/** When somebody last did something in another tab of this session, epoch ms; null: there is none. */
export async function activityElsewhere(waitMs: number): Promise<number | null> {
  const answers = await askOtherTabs(waitMs);
  const times = answers.filter(({ person }) => person === lastPerson()).map(({ activeAtMs }) => activeAtMs);
  return times.length === 0 ? null : Math.max(...times);
}

/** Whether somebody signed out while this tab was not there to hear of it: put away by the browser, or at another page. */
export function missedSignOut(): boolean {
  return localStorage.getItem(markKey) !== sessionStorage.getItem(seenKey);
}

/** Ends the session in every tab of this browser. */
export function signOut(): void {
  const session = sessionState();
  const mark = random();
  localStorage.setItem(markKey, mark);
  noteMark(mark);
  if (session.status === 'open') say({ kind: 'signed-out', person: personOf(session.me), mark });
  endSession(null);
}
