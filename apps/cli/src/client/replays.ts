import { randomUUID } from 'node:crypto';

import type { JobView } from '#contracts';

import { exitError, wrongUsage } from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import type { ConsentFlags } from './act.js';
import { consents, requireConsent } from './act.js';
import type { Query } from './api-client.js';
import { ApiClient } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { JobFlags } from './jobs.js';
import { beginJob, followJob, jobExitCode, jobText, jobView } from './jobs.js';
import { writeOne } from './output.js';
import { jobPath } from './paths.js';
import { parseQuery, replayKeys } from './query.js';

export interface ReplayFlags extends JobFlags, ConsentFlags {
  readonly query: string;
  /** Epoch ms. */
  readonly since?: number;
  readonly dryRun?: boolean;
  readonly canary?: boolean;
  readonly force?: boolean;
  /** Per second. */
  readonly rate?: number;
}

function queryOf({ query: text, since }: ReplayFlags): Query {
  const query = parseQuery(text, replayKeys);
  if (since === undefined) return query;
  if (query['from'] !== undefined) throw wrongUsage('--since and `from` of --query: one of them');
  return { ...query, from: new Date(since).toISOString() };
}

/** What is to be expected, then the question. A plan that is not wanted is not left lying about. */
async function isWanted(terminal: Terminal, client: ApiClient, plan: JobView): Promise<boolean> {
  for (const line of jobText(plan).trimEnd().split('\n')) terminal.report(line);
  if (await consents(terminal, {}, `Send ${plan.selection?.items ?? 0} once more?`)) return true;
  await client.post(`${jobPath(plan)}/cancel`, { reason: 'not confirmed on the command line' });
  terminal.report('loyaltyd: nothing was sent');
  return false;
}

function paceOf({ rate, canary = true }: ReplayFlags): object {
  return { canary, ...(rate === undefined ? {} : { ratePerSecond: rate }) };
}

/** Plans it, or begins it. @returns null: not wanted */
async function carryOut(terminal: Terminal, client: ApiClient, flags: ReplayFlags): Promise<JobView | null> {
  const { reason, force = false, dryRun = false, yes = false } = flags;
  const pace = paceOf(flags);
  // Who is to be asked sees the dry run first, and starts just that.
  const body = { query: queryOf(flags), force, ...pace, dryRun: dryRun || !yes };
  // With an id of our own where none was given: the same request again starts nothing twice.
  const made = await beginJob(client, { kind: 'replay', body }, { reason, id: flags.id ?? randomUUID() });
  if (dryRun || made.state !== 'planned') return made;
  if (!yes && !(await isWanted(terminal, client, made))) return null;
  return (await client.post(`${jobPath(made)}/start`, { reason, ...pace })) as JobView;
}

/** Sends many parked intents once more, as a job of the server. @returns the exit code */
export async function replayIntents(terminal: Terminal, flags: ReplayFlags): Promise<number> {
  const { dryRun = false, wait } = flags;
  if (!dryRun) requireConsent(terminal, flags);
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const begun = await carryOut(terminal, client, flags);
  if (begun === null) return exitError;
  const item = dryRun || !wait ? begun : await followJob(terminal, client, begun);
  await writeOne(terminal, jobView, { item, format: flags.output });
  if (item.state === 'planned') {
    terminal.report(`loyaltyd: to send it, the same with --id ${item.id} instead of --dry-run`);
  }
  return jobExitCode(terminal, item);
}
