import { stopPretenuring } from '#platform';
import { EnvironmentError, readEnvironment } from './environment/sandbox-environment.js';
import { helpText } from './help.js';
import { SeedError } from './seed/load-seed.js';
import { startSandbox } from './start-sandbox.js';

const usageExitCode = 2;

/** @returns whether that was all that was asked for @throws {EnvironmentError} for anything but `--help` */
function isHelpAsked([first]: readonly string[]): boolean {
  if (first === undefined) return false;
  if (first !== '--help' && first !== '-h') throw new EnvironmentError([`${first}: unknown; see --help`]);
  process.stdout.write(`${helpText}\n`);
  return true;
}

async function main(): Promise<void> {
  if (isHelpAsked(process.argv.slice(2))) return;
  stopPretenuring();
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
  const { startEmbeddedPostgres } = await import('#platform');
  return startEmbeddedPostgres({ database: 'wallet_sandbox' });
}

function fail(error: unknown): void {
  const isUsage = error instanceof EnvironmentError || error instanceof SeedError;
  const text = error instanceof Error ? (isUsage ? error.message : error.stack) : error;
  process.stderr.write(`${String(text)}\n`);
  process.exit(isUsage ? usageExitCode : 1);
}

await main().catch(fail);
