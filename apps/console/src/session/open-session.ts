import { ApiProblem } from '../api/api-problem.js';
import { apiGet, apiPost } from '../api/client.js';
import { idleReason, wasLeftLongAgo } from './session-end.js';
import { endSession, sessionIsOpen, sessionToken, startOpening } from './session-store.js';

function whyNot(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'Something went wrong while signing in.';
  if (error.status === 401) return 'The daemon does not know this token, or it has expired.';
  return error.message;
}

/** Signs in: asks who this is. Where it fails, the login page says why. */
export async function openSession(token: string): Promise<void> {
  startOpening(token);
  try {
    sessionIsOpen(await apiGet('/me', {}));
  } catch (error) {
    endSession(whyNot(error));
  }
}

/** With what `npm run demo` and `dev` print: a code that works once. An old one takes nobody's session away. */
async function redeem(code: string): Promise<void> {
  const before = sessionToken();
  startOpening(null);
  try {
    const deed = await apiPost('/login-links/redeem', { body: { code } });
    if (deed.state === 'done') await openSession(deed.answer.token);
  } catch (error) {
    if (before !== null) return openSession(before);
    const isGone = error instanceof ApiProblem && error.status === 404;
    endSession(isGone ? 'This link has been used, or is older than ten minutes. Ask for a new one.' : whyNot(error));
  }
}

/** What came with the address leaves it before anything else happens: it must not be kept in a history. */
function takeFromAddress(): { readonly code: string | null; readonly provider: URLSearchParams | null } {
  const { hash, search, pathname } = location;
  const code = new URLSearchParams(hash.slice(1)).get('code');
  const query = new URLSearchParams(search);
  const isOfProvider = query.has('state') && (query.has('code') || query.has('error'));
  if (code === null && !isOfProvider) return { code: null, provider: null };
  history.replaceState(null, '', isOfProvider ? pathname : `${pathname}${search}`);
  return { code, provider: isOfProvider ? query : null };
}

async function returnFromProvider(answer: URLSearchParams): Promise<void> {
  startOpening(null);
  const { tokenOfAnswer } = await import('./oidc.js');
  try {
    const { token, returnTo } = await tokenOfAnswer(answer);
    history.replaceState(null, '', returnTo);
    await openSession(token);
  } catch (error) {
    endSession(error instanceof Error ? error.message : 'The identity provider could not be asked.');
  }
}

/** A link that is pasted where the console is open already changes the address alone: nothing is loaded anew. */
export function watchForLinks(): void {
  window.addEventListener('hashchange', () => {
    const { code } = takeFromAddress();
    if (code !== null) void redeem(code);
  });
}

/** Before the first screen: goes on with what the tab or the address holds. */
export async function resumeSession(): Promise<void> {
  const { code, provider } = takeFromAddress();
  const token = sessionToken();
  if (provider !== null) await returnFromProvider(provider);
  else if (code !== null) await redeem(code);
  else if (token !== null && wasLeftLongAgo()) endSession(idleReason);
  else if (token !== null) await openSession(token);
}
