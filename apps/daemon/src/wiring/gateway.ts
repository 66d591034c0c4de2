import type { Environment, ProgramsFile, WalletEnvironment } from '#contracts';
import type { DialectRegistry, DialectLayers, Gateway } from '#gateway';
import { createGateway, loadDialectFile } from '#gateway';
import type { Clock, Logger } from '#platform';

import type { LiveEnvironment } from '../environment/live-environment.js';

type Layer = Readonly<Record<string, unknown>>;

/** The dialect layers of a programs file over the dialect file's own entries. */
export function dialectLayers(file: Layer | null, programs: ProgramsFile): DialectLayers {
  return {
    file,
    programs: Object.entries(programs.programs).map(([program, { brandId, programId, dialect }]) => ({
      program,
      brandId,
      programId,
      overrides: dialect,
    })),
  };
}

/** Entries of the `WALLET_DIALECT` file, or null. @throws DialectError */
export async function readDialect({ dialectFile }: Pick<Environment, 'dialectFile'>): Promise<Layer | null> {
  return dialectFile === null ? null : loadDialectFile(dialectFile);
}

/** The gateway to the configured partner. Credentials and its authority are those in force at each use. */
export function openGateway(
  live: Pick<LiveEnvironment, 'current'>,
  dialects: DialectRegistry,
  tools: { readonly clock: Clock; readonly logger: Logger },
): Gateway {
  const { wallet, process: settings } = live.current;
  if (wallet === null) throw new Error('the partner must be configured');
  const current = (): WalletEnvironment => live.current.wallet ?? wallet;
  return createGateway({
    baseUrl: wallet.baseUrl,
    authUrl: wallet.authUrl,
    scope: wallet.scope,
    readCredentials: () => {
      const { clientId, clientSecret } = current();
      return { clientId: clientId.value, clientSecret: clientSecret.value };
    },
    dialects,
    clock: tools.clock,
    connection: {
      ca: () => current().ca?.value,
      proxyUrl: () => live.current.process.httpsProxy?.value,
      noProxy: settings.noProxy ?? undefined,
    },
    tokenObserver: {
      obtained: ({ lifetimeMs }) => {
        tools.logger.info({ lifetimeMs }, 'partner token obtained');
      },
      failed: (reason) => {
        tools.logger.warn({ reason }, 'no partner token to be had');
      },
    },
  });
}
