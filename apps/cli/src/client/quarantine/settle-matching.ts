import { exitError, exitNothingMatched, exitOk, exitSomeFailed } from '../../command-line/exit-codes.js';
import type { ActFlags } from '../act/act-on-intent.js';
import type { ConsentFlags } from '../act/consent.js';
import { consents, requireConsent } from '../act/consent.js';
import type { ApiClient, Query } from '../http/api-client.js';
import { parseQuery } from '../query/parse-query.js';
import { quarantineFilterKeys } from '../query/query-keys.js';
import type { Terminal } from '../terminal/terminal.js';
import type { SettledBatch, Settling } from './records-api.js';
import { writeSettled } from './write-settled.js';

/** Records that one request settles at most. */
const batchMax = 200;
/** Failures that are told one by one. */
const failuresToldMax = 100;

interface MatchingFlags extends ActFlags, ConsentFlags {
  readonly limit: number;
}

interface Matching {
  readonly client: ApiClient;
  readonly settling: Settling;
  readonly query: string;
}

interface Asked {
  readonly query: Query;
  readonly reason: string;
  readonly limit: number;
}

type Total = Required<Pick<SettledBatch, 'done' | 'failed' | 'failures'>>;

function withBatch(total: Total, batch: SettledBatch): Total {
  return {
    done: total.done + batch.done,
    failed: total.failed + batch.failed,
    failures: [...total.failures, ...batch.failures].slice(0, failuresToldMax),
  };
}

/** Batch by batch, each from where the one before ended. */
async function* batches({ client, settling }: Matching, { query, reason, limit }: Asked): AsyncGenerator<SettledBatch> {
  let left = limit;
  let cursor: string | null = null;
  do {
    const position: Query = cursor === null ? {} : { cursor };
    const body = { reason, query, limit: Math.min(left, batchMax), ...position };
    const batch = (await client.post(`/quarantine/${settling}`, body)) as SettledBatch;
    yield batch;
    left -= batch.done + batch.failed;
    cursor = batch.remaining === 0 ? null : (batch.nextCursor ?? null);
  } while (cursor !== null && left > 0);
}

function exitCodeOf({ done, failed }: Total): number {
  if (failed > 0) return done > 0 ? exitSomeFailed : exitError;
  return done > 0 ? exitOk : exitNothingMatched;
}

async function settleAll(terminal: Terminal, matching: Matching, asked: Asked): Promise<Total> {
  let total: Total = { done: 0, failed: 0, failures: [] };
  for await (const batch of batches(matching, asked)) {
    total = withBatch(total, batch);
    if (batch.remaining > 0) {
      terminal.tell(`${total.done} done, ${total.failed} failed, ${batch.remaining} to go`);
    }
  }
  return total;
}

/** All records of a query, batch by batch. @returns the exit code */
export async function settleMatching(terminal: Terminal, matching: Matching, flags: MatchingFlags): Promise<number> {
  const { settling } = matching;
  const query = parseQuery(matching.query, quarantineFilterKeys);
  requireConsent(terminal, flags);
  const what = Object.keys(query).length === 0 ? 'every record in quarantine' : `what matches ${matching.query}`;
  if (!(await consents(terminal, flags, `${settling} ${what}?`))) return exitError;
  const { reason, limit, output } = flags;
  const total = await settleAll(terminal, matching, { query, reason, limit });
  if (total.done + total.failed === 0) terminal.tell('loyaltyd: nothing matches');
  await writeSettled(terminal, { settling, settled: { ...total, records: [] } }, output);
  return exitCodeOf(total);
}
