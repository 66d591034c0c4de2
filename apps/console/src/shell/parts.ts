import { suspect } from '../api/connection.js';

/** A part of the console could not be loaded. The message is for people. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';
}

/** How long the daemon may take to say whether it is there, ms. */
const answerMsMax = 5_000;
/** At most one reload in this time, ms: two daemons of different releases at one address would never let it end. */
const reloadEveryMs = 60_000;
const reloadedKey = 'loyaltyd.reloaded';

/** The page as it is served now; null: nobody serves it. */
async function servedPage(): Promise<string | null> {
  try {
    const answer = await fetch(document.baseURI, { cache: 'no-store', signal: AbortSignal.timeout(answerMsMax) });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** The file that this console began with: another release begins with another. */
function ownScript(): string {
  return document.querySelector('script[type="module"][src]')?.getAttribute('src') ?? '';
}

function mayReload(): boolean {
  return Date.now() - Number(sessionStorage.getItem(reloadedKey) ?? 0) > reloadEveryMs;
}

function reload(): void {
  sessionStorage.setItem(reloadedKey, String(Date.now()));
  location.reload();
}

/** Loads the page anew, unless there is none: what is seen now would be lost. @returns whether it does */
export async function reloadIfServed(): Promise<boolean> {
  const isServed = (await servedPage()) !== null;
  if (isServed) reload();
  return isServed;
}

async function orExplain<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    const page = await servedPage();
    if (page === null) suspect();
    if (page === null) throw new PartMissing('The daemon does not answer, and this part had not been loaded yet.');
    if (page.includes(ownScript()) || !mayReload()) throw new PartMissing('A file of it could not be loaded.');
    // A newer console was installed meanwhile: the file that this one asks for is gone.
    reload();
    return new Promise<never>(() => undefined);
  }
}

const parts: (() => Promise<unknown>)[] = [];

/** A part that is a file of its own, loaded when it is first needed or nothing else is to be done. */
export function part<Part>(load: () => Promise<Part>): () => Promise<Part> {
  parts.push(load);
  return async () => orExplain(load);
}

/** Loads all parts, one after the other: they must be there when the daemon is not. */
export async function loadParts(): Promise<void> {
  for (const load of parts) await load().catch(() => undefined);
}
