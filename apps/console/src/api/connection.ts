import { useSyncExternalStore } from 'react';

import { ApiProblem } from './api-problem.js';

const probeEveryMs = 5_000;
const gatewayStatuses: readonly number[] = [502, 503, 504];

/** Why nothing is read at present. */
export interface Away {
  /** `offline`: this machine has no network, as far as the browser knows. `silent`: no answer comes. */
  readonly why: 'offline' | 'silent' | 'refusing';
  /** Of what answers in place of what was asked for: 502, 503 or 504; 0 for no answer. */
  readonly status: number;
  /** Its own words, such as `The database does not answer`; null: those of a proxy, or none. */
  readonly says: string | null;
  /** Of the first read that failed, epoch ms. */
  readonly sinceMs: number;
}

/** Throws what a read throws. Whatever it throws that does not mean `away` is an answer of a daemon that is there. */
type Probe = () => Promise<unknown>;

const listeners = new Set<() => void>();
let away: Away | null = null;
let probe: Probe = async () => Promise.resolve();
let suspectedAtMs: number | null = null;
let isProbing = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether nobody is there to answer, or only somebody before the daemon, or without what it works with. */
export const meansAway = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && (error.status === 0 || gatewayStatuses.includes(error.status));

function become(next: Away | null): void {
  away = next;
  for (const listener of listeners) listener();
}

function awayBy({ status, code, title }: ApiProblem): Away {
  const sinceMs = away?.sinceMs ?? suspectedAtMs ?? Date.now();
  if (status !== 0) return { why: 'refusing', status, says: code.startsWith('http-') ? null : title, sinceMs };
  return { why: navigator.onLine ? 'silent' : 'offline', status, says: null, sinceMs };
}

/** Asks whether the daemon is there, and again until it is. */
async function look(): Promise<void> {
  if (isProbing) return;
  isProbing = true;
  clearTimeout(timer);
  const error = await probe().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  isProbing = false;
  if (meansAway(error)) {
    become(awayBy(error));
    timer = setTimeout(() => void look(), probeEveryMs);
    return;
  }
  suspectedAtMs = null;
  if (away !== null) become(null);
}

/** A read failed. One may do so alone: only where the daemon does not answer the probe either is it away. */
export function suspect(): void {
  suspectedAtMs ??= Date.now();
  void look();
}

export const lookNow = (): void => void look();

/** From now on `ask` is how one finds out. */
export function watchConnection(ask: Probe): void {
  probe = ask;
  window.addEventListener('offline', suspect);
  window.addEventListener('online', lookNow);
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const connectionAway = (): Away | null => away;

/** Null: what is asked is answered. */
export function useAway(): Away | null {
  return useSyncExternalStore(onConnection, connectionAway);
}
