import type { HttpResult } from '#gateway';
import type { Chance } from '../kernel/chance.js';

type LostBy = 'reset' | 'truncated' | 'malformed' | 'timeout' | 'response-too-large';

/** A complete answer. */
export function answered(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    phase: 'answered',
    error: null,
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  };
}

/** Handed to a socket, and no complete answer came back. */
export function lost(error: LostBy, status: number | null = null): HttpResult {
  return { phase: 'sent', error, status, headers: {}, body: Buffer.alloc(0) };
}

export function neverConnected(chance: Chance): HttpResult {
  const error = chance.pick(['dns-failure', 'connection-refused', 'connect-timeout', 'tls-failure'] as const);
  return { phase: 'not-sent', error, status: null, headers: {}, body: Buffer.alloc(0) };
}

export function tooMany(chance: Chance, nowMs: number): HttpResult {
  const seconds = chance.between(1, 4);
  const headers = chance.pick<Readonly<Record<string, string>>>([
    {},
    { 'retry-after': String(seconds) },
    { 'retry-after': new Date(nowMs + seconds * 1_000).toUTCString() },
  ]);
  return answered(429, { message: 'Too many requests' }, headers);
}

export function serverError(chance: Chance): HttpResult {
  const status = chance.pick([500, 502, 503, 504, 408]);
  return answered(status, chance.pick<unknown>([{ message: 'Internal error' }, '<html>Bad gateway</html>', '']));
}
