import { setUpCollector } from '#platform';
import { EnvironmentError, readEnvironment } from './sandbox-environment.js';
import { SeedError } from './seed/load-seed.js';
import { startSandbox } from './start-sandbox.js';

const usageExitCode = 2;

/** What the program says of itself. */
const helpText = `Usage: npm run sandbox

Serves the partner's Wallet Card API on this machine, with faults on demand, until SIGTERM or SIGINT. Prints one JSON line
when ready: {"ready":true,"baseUrl":"...","authUrl":"..."}. Set up by environment variables:

  SANDBOX_HOST, SANDBOX_PORT                  where it listens (127.0.0.1, 4010; port 0: any free one)
  SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET    what a client logs in with (sandbox, sandbox)
  SANDBOX_TOKEN_TTL_S                         seconds for which a token lasts (3600)
  SANDBOX_SEED                                a YAML file of brands, programs, tiers and types (else the default ones)
  SANDBOX_CONTROL_KEY                         bearer token of /__ledger, /__faults, /__client and /__reset; required
                                              where the host is not loopback
  DATABASE_URL                                a Postgres to keep all in (else one of its own, gone with the process)

Options:
  --help    this text`;

/** @returns whether that was all that was asked for @throws {EnvironmentError} for anything but `--help` */
function isHelpAsked([first]: readonly string[]): boolean {
  if (first === undefined) return false;
  if (first !== '--help' && first !== '-h') throw new EnvironmentError([`${first}: unknown; see --help`]);
  process.stdout.write(`${helpText}\n`);
  return true;
}

async function main(): Promise<void> {
  if (isHelpAsked(process.argv.slice(2))) return;
  setUpCollector();
  const environment = readEnvironment(process.env);
  const postgres = environment.databaseUrl === null ? await startPostgres() : null;
  const databaseUrl = environment.databaseUrl ?? postgres?.url ?? '';
  const sandbox = await startSandbox(environment, databaseUrl).catch(async (error: unknown) => {
    await postgres?.stop();
    throw error;
  });
  const stop = async (): Promise<void> => {
    await sandbox.stop();
    await postgres?.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(1));
      void stop().catch(fail);
    });
  }
  const { baseUrl, authUrl } = sandbox;
  process.stdout.write(`${JSON.stringify({ ready: true, baseUrl, authUrl })}\n`);
}

async function startPostgres(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { startEmbeddedPostgres } = await import('#embedded');
  return startEmbeddedPostgres({ database: 'wallet_sandbox' });
}

function fail(error: unknown): void {
  const isUsage = error instanceof EnvironmentError || error instanceof SeedError;
  const text = error instanceof Error ? (isUsage ? error.message : error.stack) : error;
  process.stderr.write(`${String(text)}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}

await main().catch(fail);
