import { setTimeout as delay } from 'node:timers/promises';

import type { RunningProcess } from '#test-support';
import { programCommand, startProcess } from '#test-support';

interface WalletSandbox {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly process: RunningProcess;
  stop(): Promise<void>;
}

interface WalletSandboxOptions {
  /** Without one it starts a Postgres of its own. */
  readonly databaseUrl?: string;
  /** A YAML file. */
  readonly seed?: string;
}

const startMsMax = 60_000;

/** The sandbox as a process of its own, on any free port: compiled when we are, else from its source. */
export async function startWalletSandbox({ databaseUrl, seed }: WalletSandboxOptions = {}): Promise<WalletSandbox> {
  const running = await startProcess({
    ...programCommand('apps/wallet-sandbox/src/main.ts'),
    env: {
      SANDBOX_PORT: '0',
      SANDBOX_SCOPE: 'admin',
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

interface FaultRule {
  readonly operation: string;
  readonly kind: string;
  readonly [setting: string]: unknown;
}

const ledgerPageSize = 10_000;
const effectWaitMsMax = 5_000;
const pollDelayMs = 25;

/** The wallet sandbox's own endpoints: its faults, and its ledger. */
export class SandboxDials {
  private seenSeq = 0;

  constructor(private readonly authUrl: string) {}

  async put(rules: readonly FaultRule[]): Promise<void> {
    await this.send('PUT', '/__faults', { seed: 1, rules });
  }

  async clear(): Promise<void> {
    await this.send('DELETE', '/__faults');
  }

  /** Operations whose rule has not struck since it was put. */
  async idle(): Promise<string[]> {
    const { rules } = (await this.send('GET', '/__faults')) as { rules: { operation: string; struck: number }[] };
    return rules.flatMap(({ operation, struck }) => (struck === 0 ? [operation] : []));
  }

  /** The last number that the ledger has given. */
  async lastSeq(): Promise<number> {
    for (;;) {
      const items = await this.ledger(this.seenSeq);
      this.seenSeq = items.at(-1)?.seq ?? this.seenSeq;
      if (items.length < ledgerPageSize) return this.seenSeq;
    }
  }

  /** Entries by operation since `after`; waits until there are as many as wanted, for a while. */
  async effectsSince(after: number, wanted: number): Promise<ReadonlyMap<string, number>> {
    const deadline = Date.now() + effectWaitMsMax;
    for (;;) {
      const items = (await this.ledger(after)).filter(({ operation }) => operation !== 'scheduled-change');
      if (items.length >= wanted || Date.now() >= deadline) return countBy(items.map(({ operation }) => operation));
      await delay(pollDelayMs);
    }
  }

  private async ledger(after: number): Promise<{ seq: number; operation: string }[]> {
    const page = await this.send('GET', `/__ledger?after=${after}&limit=${ledgerPageSize}`);
    return (page as { items: { seq: number; operation: string }[] }).items;
  }

  private async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.authUrl}${path}`, {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox refuses ${method} ${path.split('?', 1)[0] ?? ''}: ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  }
}

function countBy(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, found]) => [name, found.length]));
}
