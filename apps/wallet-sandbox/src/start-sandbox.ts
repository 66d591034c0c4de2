import type { AddressInfo } from 'node:net';
import { TokenSigner } from './auth/token-signer.js';
import type { SandboxEnvironment } from './environment/sandbox-environment.js';
import { createApplication } from './http/create-application.js';
import { loadSeed } from './seed/load-seed.js';
import { loadSigningKey } from './store/load-signing-key.js';
import { openDatabase } from './store/open-database.js';
import { prepareSchema } from './store/prepare-schema.js';

/** After so long, connections that still wait for an answer are closed without one. */
const drainMsMax = 10_000;

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
  const { database, close } = await openDatabase(databaseUrl);
  try {
    await prepareSchema(database);
    const { clientId, clientSecret, tokenTtlS: ttlS } = environment;
    const signer = new TokenSigner({ clientId, clientSecret, ttlS, signingKey: await loadSigningKey(database) });
    const application = await createApplication({ seed, database, signer });
    await application.listen({ host: environment.host, port: environment.port });
    const server = application.getHttpServer();
    const authUrl = urlOf(server.address() as AddressInfo);
    const stop = async (): Promise<void> => {
      const impatience = setTimeout(() => server.closeAllConnections(), drainMsMax);
      await application.close();
      clearTimeout(impatience);
      await close();
    };
    return { baseUrl: `${authUrl}/brands`, authUrl, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A host that means "every interface" is reached by the loopback one. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
