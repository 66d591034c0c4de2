import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadDialectFile } from '#gateway';

import type { Target } from './gateway/gateway-line.js';
import type { ContractOptions } from './options.js';
import { confirmed, plannedWrites, planText } from './planned-writes.js';
import { reportText } from './report.js';
import type { ContractParts } from './run-contract.js';
import { planContract, runContract } from './run-contract.js';
import { loadSetup, specificationPath } from './specification.js';
import { contractSeed, partnerCalled } from './spoken-partners.js';
import { startWalletSandbox } from './wallet-sandbox.js';

const usageExitCode = 2;

/** Says what it will write, asks, runs, reports. @returns the exit code @throws DataError, DialectError */
export async function contract(options: ContractOptions): Promise<number> {
  const { service, selection } = options;
  const dialect = await dialectOf(options);
  const plan = planContract(dialect, selection);
  const setup = loadSetup(options.setupFile);
  const rest = { plan, setup, dialect, run: Date.now().toString(36), isDrilled: options.speaks === null };
  if (service === null) {
    say('starting the wallet sandbox ...');
    const folder = await mkdtemp(join(tmpdir(), 'loyaltyd-contract-'));
    const sandbox = await startWalletSandbox(await seedOf(options, folder));
    try {
      return await report({ ...rest, target: { ...sandboxAccess, ...sandbox, isSandbox: true } }, options);
    } finally {
      await sandbox.stop();
      await rm(folder, { recursive: true });
    }
  }
  const code = await askBeforeWriting({ ...rest, target: { ...service, isSandbox: false } }, options);
  return code ?? report({ ...rest, target: { ...service, isSandbox: false } }, options);
}

const sandboxAccess = { clientId: 'sandbox', clientSecret: 'sandbox', scope: 'admin' };

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** What our own sandbox starts with. */
async function seedOf({ speaks }: ContractOptions, folder: string): Promise<{ readonly seed?: string }> {
  if (speaks === null) return {};
  const seed = join(folder, 'seed.yaml');
  // YAML takes JSON.
  await writeFile(seed, JSON.stringify({ ...contractSeed, ...partnerCalled(speaks).seed }));
  return { seed };
}

/** The sandbox of our own has a name where we assume none. */
async function dialectOf({
  dialectFile,
  service,
  speaks,
}: ContractOptions): Promise<Readonly<Record<string, unknown>> | null> {
  if (speaks !== null) return partnerCalled(speaks).dialect;
  const file = dialectFile ?? (service === null ? specificationPath('sandbox-dialect.yaml') : null);
  return file === null ? null : loadDialectFile(file);
}

/** @returns the exit code when the run must not begin */
async function askBeforeWriting(
  { plan, setup, target, run }: ContractParts,
  options: ContractOptions,
): Promise<number | null> {
  const writes = plannedWrites(plan, setup);
  say(planText(writes, { baseUrl: target.baseUrl, setup, run }));
  if (options.isYes || writes.length === 0) return null;
  const isConfirmed = await confirmed('Write this?');
  if (isConfirmed === true) return null;
  say(
    isConfirmed === null
      ? 'Nobody is there to be asked: --yes says that all this may be written.'
      : 'Nothing was written.',
  );
  return usageExitCode;
}

async function report(
  parts: ContractParts & { readonly target: Target },
  { isJson }: ContractOptions,
): Promise<number> {
  const told = await runContract(parts, say);
  process.stdout.write(`${isJson ? JSON.stringify(told, null, 2) : reportText(told)}\n`);
  return told.ok ? 0 : 1;
}
