import { join } from 'node:path';
import { type RunningProcess, sourceCommand, startProcess } from '#test-support';

export interface WalletSandbox {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly process: RunningProcess;
  stop(): Promise<void>;
}

export interface WalletSandboxOptions {
  /** Without one it starts a Postgres of its own. */
  readonly databaseUrl?: string;
  /** A YAML file. */
  readonly seed?: string;
}

const program = 'apps/wallet-sandbox/src/main';
const startMsMax = 60_000;
/** Short enough to see a token expire within a run. */
const tokenLifetimeS = 3;

/** The sandbox as a process of its own, on any free port: compiled when we are, else from its source. */
export async function startWalletSandbox({ databaseUrl, seed }: WalletSandboxOptions = {}): Promise<WalletSandbox> {
  const running = await startProcess({
    ...commandOf(),
    env: {
      SANDBOX_PORT: '0',
      SANDBOX_TOKEN_TTL_S: String(tokenLifetimeS),
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(seed === undefined ? {} : { SANDBOX_SEED: seed }),
    },
    readyTimeoutMs: startMsMax,
  });
  const { baseUrl, authUrl } = running.ready as { baseUrl: string; authUrl: string };
  const stop = async (): Promise<void> => {
    await running.stop();
  };
  return { baseUrl, authUrl, process: running, stop };
}

function commandOf(): { command: string; args: readonly string[]; cwd?: string } {
  const compiled = import.meta.filename.endsWith('.js');
  if (!compiled) return sourceCommand(`${program}.ts`);
  return { command: process.execPath, args: [join(import.meta.dirname, '..', '..', '..', `${program}.js`)] };
}
