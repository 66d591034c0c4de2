import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadSigningKey, TokenSigner } from './auth/token-signer.js';
import { createApplication, drain } from './http/create-application.js';
import type { SandboxEnvironment } from './sandbox-environment.js';
import { loadSeed } from './seed/load-seed.js';
import { openDatabase, type OpenDatabase } from './store/database.js';
import { prepareSchema } from './store/schema.js';

export interface RunningSandbox {
  /** What `WALLET_BASE_URL` is set to. */
  readonly baseUrl: string;
  /** What `WALLET_AUTH_URL` is set to. */
  readonly authUrl: string;
  /** Takes no more connections, answers what has arrived, closes the database. */
  stop(): Promise<void>;
}

/** Starts the partner's stand-in on a database of its own or beside others. Throws what stopped it from starting. */
export async function startSandbox(environment: SandboxEnvironment, databaseUrl: string): Promise<RunningSandbox> {
  const seed = await loadSeed(environment.seedFile);
  const opened = await openDatabase(databaseUrl);
  try {
    const signer = await prepare(environment, opened);
    const application = await createApplication({
      seed,
      database: opened.database,
      signer,
      controlKey: environment.controlKey,
    });
    const authUrl = await listen(application, environment);
    const stop = async (): Promise<void> => {
      await drain(application);
      await opened.close();
    };
    return { baseUrl: `${authUrl}/brands`, authUrl, stop };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function prepare(environment: SandboxEnvironment, { database }: OpenDatabase): Promise<TokenSigner> {
  await prepareSchema(database);
  const { clientId, clientSecret, scope, tokenTtlS: ttlS } = environment;
  return new TokenSigner({ clientId, clientSecret, scope, ttlS, signingKey: await loadSigningKey(database) });
}

async function listen(application: NestFastifyApplication, { host, port }: SandboxEnvironment): Promise<string> {
  await application.listen({ host, port });
  return urlOf(application.getHttpServer().address() as AddressInfo);
}

/** A host that means "every interface" is reached by the loopback one. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
