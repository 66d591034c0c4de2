import { readFileSync } from 'node:fs';

import type { Environment, ProgramsFile, Secret } from '#contracts';
import type { DialectBook, DialectLayers, Gateway } from '#gateway';
import { createGateway, loadDialectFile } from '#gateway';
import type { Clock, Logger } from '#platform';

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
export async function readDialect(environment: Environment): Promise<Layer | null> {
  const path = environment.wallet?.dialectFile ?? null;
  return path === null ? null : loadDialectFile(path);
}

function currentSecret({ value, file }: Secret): string {
  return file === null ? value : readFileSync(file, 'utf8').trim();
}

/** The gateway to the configured partner. */
export function openGateway(
  environment: Environment,
  dialects: DialectBook,
  tools: { readonly clock: Clock; readonly logger: Logger },
): Gateway {
  const { wallet, process: settings } = environment;
  if (wallet === null) throw new Error('the partner must be configured');
  return createGateway({
    baseUrl: wallet.baseUrl,
    authUrl: wallet.authUrl,
    scope: wallet.scope,
    readCredentials: () => ({
      clientId: currentSecret(wallet.clientId),
      clientSecret: currentSecret(wallet.clientSecret),
    }),
    dialects,
    clock: tools.clock,
    connection: {
      ca: wallet.caFile === null ? undefined : readFileSync(wallet.caFile, 'utf8'),
      proxyUrl: settings.httpsProxy ?? undefined,
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
