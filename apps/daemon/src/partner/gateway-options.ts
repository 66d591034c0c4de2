import type { Environment, WalletEnvironment } from '#contracts';
import { extraHeadersOf } from '#contracts';
import type { DialectRegistry, GatewayOptions } from '#gateway';
import type { Clock, Logger } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';

/** Delivery needs the partner; operations uses one that is configured: jobs ask it. */
export function usesPartner({ roles, wallet }: Environment): boolean {
  return roles.includes('delivery') || (roles.includes('operations') && wallet !== null);
}

/** They are read anew only where their text has changed: each call asks for them. */
function headersOf(current: () => WalletEnvironment['headers']): () => Readonly<Record<string, string>> {
  let text: string | undefined;
  let headers: Readonly<Record<string, string>> = {};
  return () => {
    const secret = current();
    if (secret?.value !== text) [text, headers] = [secret?.value, extraHeadersOf(secret)];
    return headers;
  };
}

/** The gateway to the configured partner. Credentials and its authority are those in force at each use. */
export function gatewayOptions(
  live: Pick<LiveEnvironment, 'current'>,
  dialects: DialectRegistry,
  tools: { readonly clock: Clock; readonly logger: Logger },
): GatewayOptions {
  const { wallet, process: settings } = live.current;
  if (wallet === null) throw new Error('the partner must be configured');
  const current = (): WalletEnvironment => live.current.wallet ?? wallet;
  return {
    baseUrl: wallet.baseUrl,
    authUrl: wallet.authUrl,
    scope: wallet.scope,
    readCredentials: () => {
      const { clientId, clientSecret } = current();
      return { clientId: clientId.value, clientSecret: clientSecret.value };
    },
    callHeaders: headersOf(() => current().headers),
    tokenHeaders: headersOf(() => current().tokenHeaders),
    dialects,
    clock: tools.clock,
    connection: {
      ca: () => current().ca?.value,
      certificate: () => {
        const { cert, key } = current();
        return cert === null || key === null ? undefined : { cert: cert.value, key: key.value };
      },
      tlsVersionMax: wallet.tlsVersionMax === null ? undefined : `TLSv${wallet.tlsVersionMax}`,
      proxyUrl: () => live.current.process.httpsProxy?.value,
      noProxy: settings.noProxy ?? undefined,
      keepAliveMs: wallet.keepAliveMs,
    },
    tokenObserver: {
      obtained: ({ lifetimeMs }) => {
        tools.logger.info({ lifetimeMs }, 'partner token obtained');
      },
      failed: (reason) => {
        tools.logger.warn({ reason }, 'no partner token to be had');
      },
    },
  };
}
