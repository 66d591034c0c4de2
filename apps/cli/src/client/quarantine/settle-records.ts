import { wrongUsage } from '../../command-line/command-failure.js';
import {
  exitError,
  exitNotAllowed,
  exitNothingMatched,
  exitOk,
  exitSomeFailed,
} from '../../command-line/exit-codes.js';
import type { ActFlags } from '../act/act-on-intent.js';
import type { ConsentFlags } from '../act/consent.js';
import { inputText } from '../act/input-text.js';
import { resolveConnection } from '../connection/resolve-connection.js';
import { ApiClient } from '../http/api-client.js';
import { ApiFailure } from '../http/api-failure.js';
import type { Terminal } from '../terminal/terminal.js';
import type { SettledRecord, Settling } from './records-api.js';
import { settleMatching } from './settle-matching.js';
import { writeSettled } from './write-settled.js';

export interface SettleFlags extends ActFlags, ConsentFlags {
  /** Holds the value that is taken instead of the one that arrived. */
  readonly file?: string;
  readonly query?: string;
  readonly limit: number;
}

interface Settle {
  readonly settling: Settling;
  readonly ids: readonly number[];
}

interface Outcome {
  readonly records: SettledRecord[];
  readonly failures: { readonly id: number; readonly failure: ApiFailure }[];
}

/** Refusals of one record, which say nothing about the next. */
const ownStatuses = [404, 409, 422];
/** What one record says takes an admin. Any other 403 is about whoever asks. */
const ownRefusal = 'needs-admin';
/** Told as such where all were refused so. */
const ownCodes = [exitNothingMatched, exitNotAllowed];

function checkWords({ ids, settling }: Settle, { query, file }: SettleFlags): void {
  if ((ids.length === 0) === (query === undefined)) throw wrongUsage(`${settling} quarantine: ids, or --query`);
  if (file !== undefined && ids.length !== 1) throw wrongUsage('--file: for one id at a time');
}

async function contentOf(terminal: Terminal, { file }: SettleFlags): Promise<object> {
  return file === undefined ? {} : { corrected: { value: await inputText(terminal, file) } };
}

function isOwn({ problem: { status, code } }: ApiFailure): boolean {
  return ownStatuses.includes(status) || code === ownRefusal;
}

async function settleOne(client: ApiClient, path: string, body: object): Promise<SettledRecord | ApiFailure> {
  try {
    return (await client.post(path, body)) as SettledRecord;
  } catch (error) {
    if (error instanceof ApiFailure && isOwn(error)) return error;
    throw error;
  }
}

async function settleEach(client: ApiClient, { settling, ids }: Settle, body: object): Promise<Outcome> {
  const outcome: Outcome = { records: [], failures: [] };
  for (const id of ids) {
    const result = await settleOne(client, `/quarantine/${id}/${settling}`, body);
    if (result instanceof ApiFailure) outcome.failures.push({ id, failure: result });
    else outcome.records.push(result);
  }
  return outcome;
}

function exitCodeOf({ records, failures }: Outcome): number {
  if (failures.length === 0) return exitOk;
  if (records.length > 0) return exitSomeFailed;
  const [code, ...others] = new Set(failures.map(({ failure }) => failure.exitCode));
  return code !== undefined && others.length === 0 && ownCodes.includes(code) ? code : exitError;
}

/** Has records taken in after all that were set aside, or gives them up. @returns the exit code */
export async function settleRecords(terminal: Terminal, settle: Settle, flags: SettleFlags): Promise<number> {
  checkWords(settle, flags);
  const { settling } = settle;
  const { query, reason, output } = flags;
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  if (query !== undefined) return settleMatching(terminal, { client, settling, query }, flags);
  const outcome = await settleEach(client, settle, { reason, ...(await contentOf(terminal, flags)) });
  const { records } = outcome;
  const failures = outcome.failures.map(({ id, failure }) => ({ id, detail: failure.message }));
  const settled = { done: records.length, failed: failures.length, failures, records };
  await writeSettled(terminal, { settling, settled }, output);
  return exitCodeOf(outcome);
}
