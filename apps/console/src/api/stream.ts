import { useSyncExternalStore } from 'react';

import type { Answer } from './api-types.js';
import { ApiProblem, noAnswer, problemOf } from './api-problem.js';
import { apiUrl, authorization, refuseSession } from './client.js';
import { EventStreamReader, type StreamEvent } from './event-stream.js';
import { onConnection, connectionAway, suspect } from './connection.js';
import { queryClient } from './queries.js';

const delayMsMin = 1_000;
const delayMsMax = 30_000;
/** A tick comes more often than this while all is well: after this silence it is looked into. */
const quietMsMax = 20_000;
/** The daemon sends something every 15 s: after this silence the connection is dead, whatever it looks like. */
const silenceMsMax = 45_000;
/** A tab that nobody looks at for so long gives its stream up: a process serves 100. */
const hiddenMsMax = 60_000;

/** `resting`: the tab has been hidden for long. */
export type StreamState = 'connecting' | 'live' | 'away' | 'resting';

type AuditEntry = Answer<'/audit'>['items'][number];
const listeners = new Set<() => void>();
const actionListeners = new Set<(entry: AuditEntry) => void>();
let state: StreamState = 'connecting';
let lastEventId = '';

function become(next: StreamState): void {
  state = next;
  for (const listener of listeners) listener();
}

const appliers: Readonly<Record<string, (data: unknown) => void>> = {
  stats: (data) => queryClient.setQueryData(['/stats', null, null], data),
  pause: (data) => queryClient.setQueryData(['/pauses', null, null], data),
  job: (data) => {
    queryClient.setQueryData(['/jobs/{id}', { id: (data as { readonly id: string }).id }, null], data);
    void queryClient.invalidateQueries({ queryKey: ['/jobs'] });
  },
  action: (data) => {
    for (const listener of actionListeners) listener(data as AuditEntry);
  },
};

function apply({ name, data, id }: StreamEvent): void {
  lastEventId = id;
  appliers[name]?.(JSON.parse(data));
}

/** Reads until the stream ends, however it ends. */
async function readOnce(signal: AbortSignal, onAlive: () => void): Promise<void> {
  const response = await fetch(apiUrl('/stream'), {
    headers: {
      accept: 'text/event-stream',
      ...authorization(),
      ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
    },
    signal,
    cache: 'no-store',
    credentials: 'omit',
  });
  if (!response.ok) throw await problemOf(response);
  if (response.body === null) throw noAnswer({ isRead: true });
  become('live');
  const reader = new EventStreamReader();
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    onAlive();
    reader.read(piece.value).forEach(apply);
  }
}

/** Longer each time, and never all tabs at once. */
function delayAfter(failures: number, error: unknown): number {
  const asked = error instanceof ApiProblem ? error.retryAfterSeconds : null;
  if (asked !== null) return asked * 1_000;
  return Math.min(delayMsMin * 2 ** failures, delayMsMax) * (0.5 + Math.random() / 2);
}

/** Until it is time, or the daemon is back. */
async function waitFor(delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const go = (): void => resolve(undefined);
  const stopListening = onConnection(() => {
    if (connectionAway() === null) go();
  });
  const timer = setTimeout(go, delayMs);
  signal.addEventListener('abort', go, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', go);
  stopListening();
}

async function readWithWatch(signal: AbortSignal): Promise<void> {
  const silence = new AbortController();
  const giveUp = (): void => silence.abort();
  let timers: readonly ReturnType<typeof setTimeout>[] = [];
  const stop = (): void => timers.forEach((timer) => clearTimeout(timer));
  const begin = (): void => {
    stop();
    timers = [setTimeout(suspect, quietMsMax), setTimeout(giveUp, silenceMsMax)];
  };
  begin();
  try {
    await readOnce(AbortSignal.any([signal, silence.signal]), begin);
  } finally {
    stop();
  }
}

async function keepReading(signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  let failures = 0;
  while (!isOver()) {
    const begunAt = Date.now();
    const failure = await readWithWatch(signal).then(
      () => null,
      (error: unknown) => error,
    );
    if (isOver()) return;
    if (failure instanceof ApiProblem) refuseSession(failure);
    else if (failure !== null) suspect();
    // One that lasted a while was a good one: the daemon ends each after an hour.
    failures = Date.now() - begunAt > delayMsMax ? 0 : failures + 1;
    become(failures > 1 ? 'away' : 'connecting');
    await waitFor(delayAfter(failures, failure), signal);
  }
}

/** Follows `GET /stream` into the queries that show the same, until the function that it returns is called. */
export function followStream(): () => void {
  let reading: AbortController | null = null;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;
  const begin = (): void => {
    if (reading !== null) return;
    reading = new AbortController();
    become('connecting');
    void keepReading(reading.signal);
  };
  const rest = (): void => {
    reading?.abort();
    reading = null;
    become('resting');
  };
  const onVisibility = (): void => {
    clearTimeout(hideTimer);
    if (document.hidden) hideTimer = setTimeout(rest, hiddenMsMax);
    else begin();
  };
  document.addEventListener('visibilitychange', onVisibility);
  begin();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(hideTimer);
    reading?.abort();
    lastEventId = '';
  };
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Calls back with what somebody has just done, here or elsewhere, as `GET /audit` lists it. Returns how to stop. */
export function onAction(listener: (entry: AuditEntry) => void): () => void {
  actionListeners.add(listener);
  return () => actionListeners.delete(listener);
}
