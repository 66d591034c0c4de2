import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { checkoutRoot } from '#test-support';

const run = promisify(execFile);

const commandMsMax = 300_000;
const outputBytesMax = 256 * 1024 * 1024;
const forwardRetryMs = 500;

/** @returns what it writes to its output. @throws where it fails */
export async function execute(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(file, [...args], {
    timeout: commandMsMax,
    maxBuffer: outputBytesMax,
    cwd: checkoutRoot,
  });
  return stdout;
}

export const kubectl = (...args: readonly string[]): Promise<string> => execute('kubectl', args);

/** @param folder keeps the manifest as evidence, by its name */
export async function apply(folder: string, name: string, manifest: string): Promise<void> {
  const path = join(folder, `${name}.manifest`);
  await writeFile(path, manifest);
  await kubectl('apply', '--filename', path);
}

/** @returns once every pod of it is there and ready */
export async function rolledOut(what: string, namespace: string): Promise<void> {
  await kubectl('rollout', 'status', what, '--namespace', namespace, '--timeout=180s');
}

/** A secret as a manifest. */
export function secretOf(name: string, namespace: string, entries: Readonly<Record<string, string>>): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData: entries });
}

/** A way to a service of the cluster from this machine, made again whenever its pod has gone. */
export class PortForward {
  private child: ChildProcess | null = null;
  private readonly stopping = new AbortController();
  private readonly work: Promise<void>;

  constructor(namespace: string, service: string, port: string) {
    this.work = this.keep(['port-forward', '--namespace', namespace, `service/${service}`, port]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.child?.kill();
    await this.work;
  }

  private async keep(args: readonly string[]): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const child = spawn('kubectl', [...args], { stdio: 'ignore' });
      this.child = child;
      await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
      await sleep(forwardRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
