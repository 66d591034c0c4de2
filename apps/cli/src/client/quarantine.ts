import type { QuarantineActionResult, QuarantineCausesView, QuarantinedDetails, QuarantinedView } from '#contracts';

import {
  exitError,
  exitNotAllowed,
  exitNothingMatched,
  exitOk,
  exitSomeFailed,
  wrongUsage,
} from '../command-line/command-failure.js';
import type { Terminal } from '../command-line/terminal.js';
import { inputText } from '../command-line/terminal.js';
import type { ConsentFlags } from './act.js';
import { consents, requireConsent } from './act.js';
import type { Query } from './api-client.js';
import { ApiClient, ApiFailure, pagedList, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { OutputFormat } from './flags.js';
import type { ActFlags } from './act.js';
import type { OneView } from './output.js';
import { writeOne } from './output.js';
import { parseQuery, quarantineFilterKeys, quarantineKeys, queryText } from './query.js';
import type { Described, ListSource } from './show.js';
import type { Field } from './text.js';
import { ageText, fields, moneysText, moneyText, payloadText, safeLine, section, timeText } from './text.js';

/** Where it lies: one record, or the first and the last one of a batch. */
function placeText({ topic, partition, offset, lastOffset }: QuarantinedView): string {
  const last = lastOffset === null || lastOffset === offset ? '' : `-${lastOffset}`;
  return `${topic}/${partition}@${offset}${last}`;
}

export const quarantineSource: ListSource<QuarantinedView> = {
  path: '/quarantine',
  keys: quarantineKeys,
  pages: pagedList,
  since: ({ recordedAt }) => recordedAt,
  columns: [
    { title: 'ID', of: ({ id }) => id, side: 'right' },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'SOURCE', of: ({ source }) => source },
    { title: 'STORE', of: ({ store }) => store },
    { title: 'AMOUNT', of: ({ amount }) => (amount === null ? null : moneyText(amount)), side: 'right' },
    { title: 'RECORD', of: placeText },
    { title: 'BYTES', of: ({ bytes }) => bytes, side: 'right' },
    { title: 'AGE', of: ({ recordedAt }) => ageText(recordedAt) },
    { title: 'PRODUCED', of: ({ producedAt }) => producedAt, isWide: true },
    { title: 'RECORDED', of: ({ recordedAt }) => recordedAt, isWide: true },
    { title: 'DETAIL', of: ({ detail }) => detail },
  ],
  nameOf: ({ id }) => String(id),
};

type Cause = QuarantineCausesView['items'][number];

/** Such as `/till-3 30, /till-4 2`. */
const namedText = (named: Cause['sources']): string =>
  named.map(({ name, records }) => `${name} ${records}`).join(', ');

export const causesSource: ListSource<Cause> = {
  path: '/quarantine/causes',
  keys: quarantineFilterKeys,
  pages: wholeList,
  since: ({ lastAt }) => lastAt,
  columns: [
    { title: 'RECORDS', of: ({ records }) => records, side: 'right' },
    { title: 'AT STAKE', of: ({ money }) => moneysText(money), side: 'right' },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'SOURCES', of: ({ sources }) => namedText(sources) },
    { title: 'STORES', of: ({ stores }) => namedText(stores), isWide: true },
    { title: 'FIRST', of: ({ firstAt }) => ageText(firstAt) },
    { title: 'LAST', of: ({ lastAt }) => ageText(lastAt) },
    { title: 'BY HOUR', of: ({ hours }) => hours.map(({ records }) => records).join(' '), isWide: true },
    { title: 'NEWEST', of: ({ newest }) => newest, side: 'right', isWide: true },
    { title: 'DETAIL', of: ({ detail }) => detail },
  ],
  nameOf: ({ reason, cause }) => queryText({ reason, cause }),
};

function settlementFields({ state, settled }: QuarantinedDetails): readonly Field[] {
  if (settled === null) return [['State', state]];
  const { at, by, why, result, intent } = settled;
  return [
    ['State', `${state}: ${result}`],
    ['By', `${by}, ${at}: ${why}`],
    ['Intent', intent],
  ];
}

const notShown = {
  masked: 'no JSON, hence not shown',
  batch: 'a whole record batch as the broker has it: too large to be taken apart, or damaged. A resubmit tries again',
};

function quarantinedText(record: QuarantinedDetails): string {
  const { id, reason, detail, bytes, key, headers, isReadable, encoding } = record;
  const head = fields([
    ['Quarantine', id],
    ...settlementFields(record),
    ['Reason', reason],
    ['Detail', detail],
    ['Record', placeText(record)],
    ['Source', record.source],
    ['Store', record.store],
    ['Amount', record.amount === null ? null : moneyText(record.amount)],
    ['Key', key],
    ['Bytes', bytes],
    ['Produced', timeText(record.producedAt)],
    ['Recorded', timeText(record.recordedAt)],
    ['Readable', isReadable ? 'yes' : 'no: no key opens it any more'],
  ]);
  const value = encoding === 'text' ? payloadText(record.value) : notShown[encoding];
  const changes = section('Corrected', payloadText(record.corrected?.changes));
  return `${head}${section('Headers', payloadText(headers))}${section('Value', value)}${changes}`;
}

/** A record that was set aside, as it came in. */
export function describedQuarantined(id: number): Described<QuarantinedDetails> {
  return {
    load: async (client) => (await client.get(`/quarantine/${id}`)) as QuarantinedDetails,
    text: quarantinedText,
    nameOf: (record) => String(record.id),
  };
}

/** What the operations API answers where one record was dealt with. */
interface SettledRecord {
  readonly id: number;
  /** Such as `recorded` or `discarded`. */
  readonly result: string;
  /** The intent that it became, or had become already. */
  readonly intent: string | null;
  /** Why no new intent came of it. */
  readonly reason: string | null;
  /** Of a record batch: how many of its records became what. */
  readonly records?: QuarantineActionResult['records'];
}

/** What it answers to one request for many. */
interface SettledBatch {
  readonly done: number;
  readonly failed: number;
  /** Another operator settled them meanwhile. */
  readonly skipped?: number;
  /** Not tried yet. */
  readonly remaining: number;
  /** The first of those that failed. */
  readonly failures: readonly FailedRecord[];
  readonly nextCursor?: string | null;
  /** All that failed, by why. */
  readonly refusedBy?: readonly RefusedBy[];
}

interface RefusedBy {
  readonly rule: string;
  readonly records: number;
}

interface FailedRecord {
  readonly id: number;
  readonly detail: string;
}

export type Settling = 'resubmit' | 'discard';

interface Settled {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly FailedRecord[];
  readonly refusedBy?: readonly RefusedBy[];
  /** One by one, where that is known. */
  readonly records: readonly SettledRecord[];
}

const participles: Readonly<Record<Settling, string>> = { resubmit: 'resubmitted', discard: 'discarded' };

function recordsText(records: NonNullable<SettledRecord['records']>): string {
  const { recorded, duplicate, ignored, setAside } = records;
  return `: ${recorded} recorded, ${duplicate} duplicate, ${ignored} ignored, ${setAside} set aside by themselves`;
}

function settledText({ id, result, intent, reason, records }: SettledRecord): string {
  const because = reason === null ? '' : ` (${reason})`;
  const counts = records === undefined ? '' : recordsText(records);
  return `${safeLine(`${id}: ${result}${because}${counts}${intent === null ? '' : `, ${intent}`}`)}\n`;
}

function viewOf(settling: Settling): OneView<Settled> {
  return {
    text: ({ done, failed, records }) => {
      const lost = failed === 0 ? '' : `, ${failed} failed`;
      return `${records.map(settledText).join('')}${done} ${participles[settling]}${lost}\n`;
    },
    nameOf: ({ records }) => records.map(({ id }) => id).join(' '),
  };
}

/** What came of it on standard output; the failures that are known one by one on standard error. */
async function writeSettled(
  terminal: Terminal,
  { settling, settled }: { readonly settling: Settling; readonly settled: Settled },
  format: OutputFormat,
): Promise<void> {
  for (const { id, detail } of settled.failures) terminal.report(safeLine(`loyaltyd: ${id}: ${detail}`));
  await writeOne(terminal, viewOf(settling), { item: settled, format });
}

/** Records that one request settles at most. */
const batchMax = 200;
/** Failures that are reported one by one. */
const failuresReportedMax = 100;

interface MatchingFlags extends ActFlags, ConsentFlags {
  readonly limit: number;
  readonly dryRun?: true;
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
  readonly isTrial: boolean;
}

type Total = Required<Pick<SettledBatch, 'done' | 'failed' | 'failures' | 'refusedBy'>>;

function withBatch(total: Total, batch: SettledBatch): Total {
  return {
    done: total.done + batch.done,
    failed: total.failed + batch.failed,
    failures: [...total.failures, ...batch.failures].slice(0, failuresReportedMax),
    refusedBy: byRule([...total.refusedBy, ...(batch.refusedBy ?? [])]),
  };
}

/** The most first. */
function byRule(refused: readonly RefusedBy[]): RefusedBy[] {
  const sums = [...Map.groupBy(refused, ({ rule }) => rule)].map(([rule, parts]) => ({
    rule,
    records: parts.reduce((sum, { records }) => sum + records, 0),
  }));
  return sums.toSorted((one, other) => other.records - one.records);
}

/** A large record batch takes some requests; that many in a row that deal with nothing never will. */
const idleRequestsMax = 100;

/** Batch by batch, each from where the one before ended. */
async function* batches(
  { client, settling }: Matching,
  { query, reason, limit, isTrial }: Asked,
): AsyncGenerator<SettledBatch> {
  let left = limit;
  let cursor: string | null = null;
  let idle = 0;
  do {
    const position: Query = cursor === null ? {} : { cursor };
    const trial = isTrial ? { dryRun: true } : {};
    const body = { reason, query, limit: Math.min(left, batchMax), ...position, ...trial };
    const batch = (await client.post(`/quarantine/${settling}`, body)) as SettledBatch;
    yield batch;
    const tried = batch.done + batch.failed;
    left -= tried;
    idle = tried === 0 ? idle + 1 : 0;
    cursor = batch.remaining === 0 ? null : (batch.nextCursor ?? null);
  } while (cursor !== null && left > 0 && idle < idleRequestsMax);
}

function totalExitCode({ done, failed }: Total): number {
  if (failed > 0) return done > 0 ? exitSomeFailed : exitError;
  return done > 0 ? exitOk : exitNothingMatched;
}

async function settleAll(terminal: Terminal, matching: Matching, asked: Asked): Promise<Total> {
  let total: Total = { done: 0, failed: 0, failures: [], refusedBy: [] };
  for await (const batch of batches(matching, asked)) {
    total = withBatch(total, batch);
    if (batch.remaining > 0) {
      terminal.report(`${total.done} done, ${total.failed} failed, ${batch.remaining} to go`);
    }
  }
  return total;
}

const trialView: OneView<Settled> = {
  text: ({ done, failed, refusedBy = [] }) => {
    const rules = refusedBy.map(({ rule, records }) => `${safeLine(`${records}: ${rule}`)}\n`);
    return `${done} would be taken in, ${failed} would be refused again\n${rules.join('')}`;
  },
  nameOf: () => '',
};

/** Tries each, and keeps nothing. @returns the exit code */
async function tryMatching(
  terminal: Terminal,
  matching: Matching,
  { asked, output }: { readonly asked: Asked; readonly output: OutputFormat },
): Promise<number> {
  const total = await settleAll(terminal, matching, asked);
  await writeOne(terminal, trialView, { item: { ...total, records: [] }, format: output });
  return total.done + total.failed > 0 ? exitOk : exitNothingMatched;
}

/** All records of a query, batch by batch. @returns the exit code */
async function settleMatching(terminal: Terminal, matching: Matching, flags: MatchingFlags): Promise<number> {
  const { settling } = matching;
  const query = parseQuery(matching.query, quarantineFilterKeys);
  const { reason, limit, output, dryRun: isTrial = false } = flags;
  if (isTrial) return tryMatching(terminal, matching, { asked: { query, reason, limit, isTrial }, output });
  requireConsent(terminal, flags);
  const what = Object.keys(query).length === 0 ? 'every record in quarantine' : `what matches ${matching.query}`;
  if (!(await consents(terminal, flags, `${settling} ${what}?`))) return exitError;
  const total = await settleAll(terminal, matching, { query, reason, limit, isTrial });
  if (total.done + total.failed === 0) terminal.report('loyaltyd: nothing matches');
  await writeSettled(terminal, { settling, settled: { ...total, records: [] } }, output);
  return totalExitCode(total);
}

export interface SettleFlags extends ActFlags, ConsentFlags {
  /** Holds the value that is taken instead of the one that arrived. */
  readonly file?: string;
  readonly query?: string;
  readonly limit: number;
  readonly dryRun?: true;
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
/** What one record says takes an admin. Any other 403 is about the caller. */
const ownRefusal = 'needs-admin';
/** Reported as such where all were refused so. */
const ownCodes = [exitNothingMatched, exitNotAllowed];

function checkWords({ ids, settling }: Settle, { query, file, dryRun }: SettleFlags): void {
  if (dryRun === true && query === undefined) throw wrongUsage('--dry-run: with --query');
  if ((ids.length === 0) === (query === undefined)) throw wrongUsage(`${settling} quarantine: ids, or --query`);
  if (file !== undefined && ids.length !== 1) throw wrongUsage('--file: for one id at a time');
}

async function contentOf(terminal: Terminal, { file }: SettleFlags): Promise<object> {
  return file === undefined ? {} : { corrected: { value: await inputText(terminal, file) } };
}

function isOwn({ problem: { status, code } }: ApiFailure): boolean {
  return ownStatuses.includes(status) || code === ownRefusal;
}

/** A batch that takes several requests: each continues where the one before ended. */
const moreCode = 'partly-resubmitted';

async function settleOne(client: ApiClient, path: string, body: object): Promise<SettledRecord | ApiFailure> {
  for (;;) {
    try {
      return (await client.post(path, body)) as SettledRecord;
    } catch (error) {
      if (!(error instanceof ApiFailure) || !isOwn(error)) throw error;
      if (error.problem.code !== moreCode) return error;
    }
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

function outcomeExitCode({ records, failures }: Outcome): number {
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
  return outcomeExitCode(outcome);
}
