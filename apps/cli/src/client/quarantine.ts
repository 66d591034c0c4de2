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
import { ApiClient, ApiFailure, pagedList, wholeList } from './api-client.js';
import { resolveConnection } from './connection.js';
import type { OutputFormat } from './flags.js';
import type { OneView } from './output.js';
import { writeOne } from './output.js';
import type { ChangeFlags, ManyFlags } from './many.js';
import { quarantineFilterKeys, quarantineKeys, queryText } from './query.js';
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

interface FailedRecord {
  readonly id: number;
  readonly detail: string;
}

export type Settling = 'resubmit' | 'discard';

interface Settled {
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly FailedRecord[];
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

/** What came of it on standard output; the failures on standard error. */
async function writeSettled(
  terminal: Terminal,
  { settling, settled }: { readonly settling: Settling; readonly settled: Settled },
  format: OutputFormat,
): Promise<void> {
  for (const { id, detail } of settled.failures) terminal.report(safeLine(`loyaltyd: ${id}: ${detail}`));
  await writeOne(terminal, viewOf(settling), { item: settled, format });
}

export interface SettleFlags extends Omit<ManyFlags, 'query'>, ChangeFlags {
  /** Holds the value that is taken instead of the one that arrived. */
  readonly file?: string;
  readonly query?: string;
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

function checkWords({ ids, settling }: Settle, flags: SettleFlags): void {
  const { query, file, ...ofMany } = flags;
  if ((ids.length === 0) === (query === undefined)) throw wrongUsage(`${settling} quarantine: ids, or --query`);
  if (file !== undefined && ids.length !== 1) throw wrongUsage('--file: for one id at a time');
  const { dryRun, id, yes, patch, asText, asNumber } = ofMany;
  const isOfMany = [dryRun, id, yes, patch, asText, asNumber].some((flag) => flag !== undefined);
  if (query === undefined && isOfMany) throw wrongUsage('of many at once: only with --query');
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
  if (query !== undefined) {
    const { settleRecordsOfQuery } = await import('./many.js');
    return settleRecordsOfQuery(terminal, settling, { ...flags, query });
  }
  const client = new ApiClient(resolveConnection(flags, terminal.env));
  const outcome = await settleEach(client, settle, { reason, ...(await contentOf(terminal, flags)) });
  const { records } = outcome;
  const failures = outcome.failures.map(({ id, failure }) => ({ id, detail: failure.message }));
  const settled = { done: records.length, failed: failures.length, failures, records };
  await writeSettled(terminal, { settling, settled }, output);
  return outcomeExitCode(outcome);
}
