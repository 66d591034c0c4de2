import { ApiProblem } from '../api/api-problem.js';
import { apiGet, apiPost } from '../api/client.js';
import { wasLeftLongAgo } from './activity.js';
import { answerLimit, answerLimitText, isLate } from './answer-limit.js';
import { idleReason } from './session-end.js';
import { endSession, holdBack, sessionToken, startOpening, tokenHeldBack } from './session-store.js';
import { joinOtherTab, missedSignOut, openHere, signedOutReason } from './shared-session.js';

/** A page that nobody has looked at yet waits so long for another tab; the login page goes on asking. */
const joinMs = 250;
const lateReason = `The daemon did not answer within ${answerLimitText}.`;
const awayReason = 'The daemon could not be reached. It may be starting: try again in a moment.';

function whyNot(error: unknown): string {
  if (isLate(error)) return `${lateReason} It may be busy, or starting: try again in a moment.`;
  if (!(error instanceof ApiProblem)) return 'Something went wrong while signing in. Load the page anew.';
  if (error.status === 401) {
    return 'The daemon does not know this token, or it has expired. Ask whoever runs it for another one.';
  }
  return error.status === 0 ? awayReason : error.message;
}

function whyNoLink(error: unknown): string {
  if (isLate(error)) return `${lateReason} Follow the link once more; where it has been used, ask for a new one.`;
  const isGone = error instanceof ApiProblem && error.status === 404;
  return isGone ? 'This link has been used, or is older than ten minutes. Ask for a new one.' : whyNot(error);
}

/** Whether the token may still be good: nobody could say. */
const isUntold = (error: unknown): boolean =>
  isLate(error) || (error instanceof ApiProblem && (error.status === 0 || error.status === 429 || error.status >= 500));

/** Signs in: asks who this is. Where it fails, the login page says why. */
export async function openSession(token: string): Promise<void> {
  startOpening(token, 'daemon');
  try {
    const me = await apiGet('/me', { signal: answerLimit() });
    // Somebody may have signed out in another tab meanwhile.
    if (sessionToken() === token) openHere(me);
  } catch (error) {
    if (isUntold(error)) holdBack(whyNot(error));
    else endSession(whyNot(error));
  }
}

/** With the token that could not be judged before. */
export async function openAgain(): Promise<void> {
  const token = tokenHeldBack();
  if (token !== null) await openSession(token);
}

/** What came with the address leads nowhere: whoever is signed in here, or in another tab, stays so. */
async function goOnWith(before: string | null, because: string): Promise<void> {
  if (before !== null) await openSession(before);
  else if (!(await joinOtherTab({ waitMs: joinMs }))) endSession(because);
}

/** With what `npm run demo` and `dev` print: a code that works once. An old one takes nobody's session away. */
async function redeem(code: string): Promise<void> {
  const before = sessionToken();
  startOpening(null, 'link');
  try {
    const { token } = await apiPost('/login-links/redeem', { body: { code }, signal: answerLimit() });
    await openSession(token);
  } catch (error) {
    await goOnWith(before, whyNoLink(error));
  }
}

/** What came with the address leaves it before anything else happens: it must not be kept in a history. */
function takeFromAddress(): { readonly code: string | null; readonly provider: URLSearchParams | null } {
  const { hash, search, origin, pathname } = location;
  const code = new URLSearchParams(hash.slice(1)).get('code');
  const query = new URLSearchParams(search);
  const isOfProvider = query.has('state') && (query.has('code') || query.has('error'));
  if (code === null && !isOfProvider) return { code: null, provider: null };
  history.replaceState(null, '', `${origin}${pathname}${isOfProvider ? '' : search}`);
  return { code, provider: isOfProvider ? query : null };
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'The identity provider could not be asked.';

async function returnFromProvider(answer: URLSearchParams): Promise<void> {
  const before = sessionToken();
  startOpening(null, 'provider');
  const { takeAttempt, tokenOfAnswer } = await import('./oidc.js');
  const attempt = takeAttempt(answer.get('state'));
  if (attempt === null) {
    await goOnWith(before, 'This answer of the identity provider belongs to no sign-in of this tab. Sign in again.');
    return;
  }
  // Also where it fails: by another way in one gets there all the same.
  history.replaceState(null, '', attempt.returnTo);
  try {
    await openSession(await tokenOfAnswer(answer, attempt));
  } catch (error) {
    endSession(messageOf(error));
  }
}

/** A link that is pasted where the console is open already changes the address alone: nothing is loaded anew. */
export function watchForLinks(): void {
  window.addEventListener('hashchange', () => {
    const { code } = takeFromAddress();
    if (code !== null) void redeem(code);
  });
}

/** Before the first screen: goes on with what the address, the tab or another tab holds. */
export async function resumeSession(): Promise<void> {
  const { code, provider } = takeFromAddress();
  const token = sessionToken();
  if (provider !== null) await returnFromProvider(provider);
  else if (code !== null) await redeem(code);
  else if (token === null) await joinOrSignIn();
  else if (wasLeftLongAgo()) await leaveToOthers();
  else if (missedSignOut()) endSession(signedOutReason);
  else await openSession(token);
}

/** This tab was left long ago; somebody may work in another one all the same. */
async function leaveToOthers(): Promise<void> {
  startOpening(null, 'page');
  await goOnWith(null, idleReason);
}

async function joinOrSignIn(): Promise<void> {
  if (!(await joinOtherTab({ waitMs: joinMs }))) endSession(null);
}
