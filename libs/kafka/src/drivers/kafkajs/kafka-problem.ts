import kafkajs from 'kafkajs';

import { errorCode } from '#platform';

import { KafkaError, kafkaProblem, type KafkaProblem, type KafkaProblemKind } from '../../driver.js';
import { NoTokenError } from './bearer-login.js';
import { withAddresses } from './kafka-client.js';

const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
]);
const closedCodes = new Set(['ECONNRESET', 'EPIPE']);
const tlsCode = /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/;

/** KafkaJS wraps what happened into what it makes of it: the innermost of its own errors says the most. */
function innermost(error: unknown): Error | null {
  const seen = new Set<unknown>();
  let found: Error | null = null;
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    found = at;
    seen.add(at);
  }
  return found;
}

function textOf(error: Error, name: 'type' | 'broker'): string | null {
  const value: unknown = name in error ? (error as unknown as Record<string, unknown>)[name] : null;
  return typeof value === 'string' ? value : null;
}

function kindOfConnectionError(code: string | null, message: string): KafkaProblemKind {
  if (code === null) return /timeout/i.test(message) ? 'timeout' : 'closed';
  if (unreachableCodes.has(code)) return 'unreachable';
  if (closedCodes.has(code)) return 'closed';
  return tlsCode.test(code) ? 'tls' : 'other';
}

const protocolKinds: ReadonlyMap<string, KafkaProblemKind> = new Map([
  ['SASL_AUTHENTICATION_FAILED', 'authentication'],
  ['UNSUPPORTED_SASL_MECHANISM', 'authentication'],
  ['ILLEGAL_SASL_STATE', 'authentication'],
  ['LEADER_NOT_AVAILABLE', 'no-leader'],
  ['GROUP_COORDINATOR_NOT_AVAILABLE', 'no-coordinator'],
  ['GROUP_LOAD_IN_PROGRESS', 'no-coordinator'],
  ['NOT_COORDINATOR_FOR_GROUP', 'no-coordinator'],
  ['UNSUPPORTED_VERSION', 'unsupported'],
]);

function kindOfProtocolError(type: string): KafkaProblemKind {
  const kind = protocolKinds.get(type);
  if (kind !== undefined) return kind;
  return type.endsWith('_AUTHORIZATION_FAILED') ? 'not-allowed' : 'other';
}

function kindOf(error: Error): KafkaProblemKind {
  if (error instanceof kafkajs.KafkaJSSASLAuthenticationError) return 'authentication';
  if (error instanceof NoTokenError) return 'no-token';
  if (error instanceof kafkajs.KafkaJSRequestTimeoutError) return 'timeout';
  if (error instanceof kafkajs.KafkaJSConnectionError) {
    return kindOfConnectionError(errorCode(error), error.message);
  }
  if (error instanceof kafkajs.KafkaJSGroupCoordinatorNotFound) return 'no-coordinator';
  if (error instanceof kafkajs.KafkaJSServerDoesNotSupportApiKey) return 'unsupported';
  return kindOfProtocolError(textOf(error, 'type') ?? '');
}

/** What an error of KafkaJS tells. */
export function troubleOf(error: unknown): KafkaProblem {
  const inner = innermost(error);
  if (inner === null) return kafkaProblem(error);
  const code = textOf(inner, 'type') ?? errorCode(inner) ?? inner.name;
  const broker = textOf(inner, 'broker');
  return { kind: kindOf(inner), code, broker: broker === null ? null : withAddresses(broker) };
}

/** Whatever KafkaJS throws leaves the driver as the port's own error. */
export async function withKafkaErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new KafkaError(troubleOf(error), error instanceof Error ? error : new Error(String(error)));
  }
}
