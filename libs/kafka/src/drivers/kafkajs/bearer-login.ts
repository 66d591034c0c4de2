import kafkajs from 'kafkajs';
import type { AuthenticationProviderArgs, Authenticator, Mechanism } from 'kafkajs';
import Connection from 'kafkajs/src/network/connection.js';
import { request } from 'kafkajs/src/protocol/sasl/oauthBearer/index.js';

import { errorCode, errorName } from '#platform';

import type { KafkaBearer } from '../../driver.js';

/**
 * No token is to be had: as passing as a broker that cannot be reached, and taken for that by KafkaJS, which tries again
 * instead of ending the consumer for good.
 */
export class NoTokenError extends kafkajs.KafkaJSConnectionError {
  constructor(cause: unknown) {
    const code = errorCode(cause) ?? errorName(cause);
    super(`no token to log in with (${code})`, { code });
  }
}

/**
 * SASL OAUTHBEARER (RFC 7628) in place of KafkaJS' own, which takes a refusal for a success: a broker says no by a message,
 * and fails the login when that is acknowledged. Nor can KafkaJS tell whose token was refused: one that is revoked, or signed
 * by a key that has been replaced, would be shown again until it ends.
 */
export function bearerLogin(login: KafkaBearer): Mechanism {
  return { mechanism: 'oauthbearer', authenticationProvider: (args) => authenticatorOf(login, args) };
}

function authenticatorOf(login: KafkaBearer, { saslAuthenticate }: AuthenticationProviderArgs): Authenticator {
  return {
    authenticate: async () => {
      const value = await tokenOf(login);
      const first = await request({}, { value, extensions: login.extensions ?? {} });
      try {
        const answer = await saslAuthenticate({ request: first, response: answerBytes });
        if (Buffer.isBuffer(answer) && answer.length > lengthBytes) await endRefusal(saslAuthenticate);
      } catch (error) {
        if (isRefusal(error)) login.refused?.(value);
        throw error;
      }
    },
  };
}

/** KafkaJS puts the length before what a mechanism says, and wants it there. */
const lengthBytes = 4;
const answerBytes = { decode: (bytes: Buffer) => bytes, parse: (bytes: Buffer) => bytes };
const acknowledgement = { encode: () => Buffer.from([0, 0, 0, 1, 1]) };

async function endRefusal(saslAuthenticate: AuthenticationProviderArgs['saslAuthenticate']): Promise<never> {
  await saslAuthenticate({ request: acknowledgement });
  throw Object.assign(new kafkajs.KafkaJSSASLAuthenticationError(), { message: 'the broker refused the token' });
}

async function tokenOf(login: KafkaBearer): Promise<string> {
  try {
    return await login.token();
  } catch (error) {
    throw new NoTokenError(error);
  }
}

/** Of a connection that broke nobody knows what the broker would have said. */
function isRefusal(error: unknown): boolean {
  return error instanceof kafkajs.KafkaJSProtocolError || error instanceof kafkajs.KafkaJSSASLAuthenticationError;
}

/** KafkaJS renews a login so long before its session ends; of a shorter session when half of it is over. */
const renewalMarginMs = 10_000;
/** Brokers take a second login of a connection within a second of the first for a fault (KafkaChannel). */
const renewalMsMin = 1_100;

/**
 * KafkaJS 2.2.4 renews the login of a connection 10 s before the broker's session ends: where sessions are shorter (the rest
 * of a token's life), it did so with each request, which brokers refuse.
 */
Connection.prototype.isAuthenticated = function (this: Connection): boolean {
  if (this.authenticatedAt === null) return false;
  const sessionMs = Number(this.sessionLifetime);
  if (sessionMs === 0) return true;
  // eslint-disable-next-line no-restricted-properties -- KafkaJS has set `authenticatedAt` by it
  const [seconds, nanoseconds] = process.hrtime(this.authenticatedAt);
  const sinceMs = seconds * 1_000 + nanoseconds / 1_000_000;
  return sinceMs < Math.max(renewalMsMin, sessionMs - Math.min(renewalMarginMs, sessionMs / 2));
};
