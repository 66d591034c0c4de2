import type { DoubtfulCalls } from '#contracts';
import { PARTNER_LIST_MAX, parseRfc3339 } from '#contracts';

import { csvLine } from '../../../requests/csv.js';
import { refuseRequest } from '../../../requests/read-request.js';

/** What a call of ours is known by at the partner. */
export interface CallKey {
  readonly operation: 'transaction' | 'reward';
  /** The transaction type's id, or the reward's. */
  readonly type: string;
  /** What the partner keeps as the number of the sale; null: it has none. */
  readonly receipt: string | null;
  /** As `canonicalAmount` has it; null of a reward. */
  readonly amount: string | null;
}

/** One row of what the partner has. */
export interface ListedCall {
  /** Ours, where the partner gives our own list back. */
  readonly intent: string | null;
  readonly member: string | null;
  readonly type: string | null;
  readonly receipt: string | null;
  readonly amount: string | null;
  /** Epoch ms. */
  readonly at: number | null;
}

/** A call of ours as it is told to the partner. */
export type DoubtfulRow = DoubtfulCalls['items'][number];

const columns = ['intent', 'member', 'operation', 'type', 'receipt', 'reward', 'amount', 'currency', 'sentAt'] as const;

/** With a head, and no formula whatever stands in it. */
export function csvOf(rows: readonly DoubtfulRow[]): string {
  return [csvLine(columns), ...rows.map((row) => csvLine(columns.map((name) => row[name])))].join('');
}

const decimal = /^([+-]?)0*(\d+)(?:\.(\d*?)0*)?$/;

/** The same amount always the same text; null: it is none. */
export function canonicalAmount(text: string): string | null {
  const [, sign, whole = '', fraction = ''] = decimal.exec(text.trim()) ?? [];
  if (sign === undefined) return null;
  const digits = fraction === '' ? whole : `${whole}.${fraction}`;
  return sign === '-' && digits !== '0' ? `-${digits}` : digits;
}

/** What columns may be called, in lower case and without `_`. */
const names: Readonly<Record<string, keyof ListedCall>> = {
  ...{ intent: 'intent', member: 'member', memberid: 'member', uniqueid: 'member' },
  ...{ type: 'type', transactiontypeid: 'type', reward: 'type', rewardid: 'type' },
  ...{ receipt: 'receipt', amount: 'amount', sentat: 'at', at: 'at' },
};

/** What says nothing about whether they have it. The date of a transaction is when somebody has bought, not when it came. */
const beside: readonly string[] = [
  ...['operation', 'currency', 'program', 'store', 'transactionid', 'transactiondate'],
  ...['passid', 'serialnumber', 'personid'],
];

const plainName = (column: string): string => column.trim().toLowerCase().replaceAll('_', '');

const partOf = (column: string): keyof ListedCall | undefined => names[plainName(column)];

/** A column such as `found` would turn what they do not have into what they have. @throws {ApiProblem} */
function refuseOtherColumns(columns: readonly string[]): void {
  const other = columns.find((column) => partOf(column) === undefined && !beside.includes(plainName(column)));
  if (other === undefined) return;
  refuseRequest('list: it has a column that is not known; leave it out, and all rows of what they do not have');
}

type Fields = readonly (readonly [column: string, text: string])[];

const nothing: ListedCall = { intent: null, member: null, type: null, receipt: null, amount: null, at: null };

function valueOf(part: keyof ListedCall, text: string, row: number): string | number {
  if (part === 'amount') return canonicalAmount(text) ?? refuseRequest(`list: row ${row}: the amount is no number`);
  if (part === 'at') return parseRfc3339(text) ?? refuseRequest(`list: row ${row}: the time is none with an offset`);
  return text;
}

/** @throws {ApiProblem} that names the row, and quotes nothing */
function callOf(fields: Fields, row: number): ListedCall {
  const found = fields.flatMap(([column, text]) => {
    const part = partOf(column);
    // As we write what would be a formula.
    const said = text.trim().replace(/^'(?=[=+\-@\t\r])/, '');
    return part === undefined || said === '' ? [] : [[part, valueOf(part, said, row)] as const];
  });
  const call: ListedCall = { ...nothing, ...Object.fromEntries(found) };
  if (call.intent === null && call.receipt === null && call.member === null) {
    return refuseRequest(`list: row ${row}: it names neither an intent, nor a receipt, nor a member`);
  }
  return call;
}

/** The cells of a CSV text (RFC 4180), by lines. */
function cellsOf(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'y');
  while (pattern.lastIndex < text.length) {
    const row = rows.length;
    const [, quoted, plain = '', end] = pattern.exec(text) ?? refuseRequest(`list: row ${row}: its quotes do not end`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== separator) rows.push([]);
  }
  return rows.filter((cells) => cells.some((each) => each.trim() !== ''));
}

function readCsv(text: string): Fields[] {
  const separator = (text.split('\n', 1)[0] ?? '').includes(';') ? ';' : ',';
  const [head = [], ...rows] = cellsOf(text, separator);
  if (!head.some((column) => partOf(column) !== undefined)) {
    return refuseRequest('list: its first line must name its columns, such as member,receipt,type,amount');
  }
  refuseOtherColumns(head);
  return rows.map((cells) => head.map((column, index) => [column, cells[index] ?? ''] as const));
}

function readLine(line: string, row: number): Fields {
  const refuse = (): never => refuseRequest(`list: row ${row}: is no JSON object`);
  const parsed = ((): unknown => {
    try {
      return JSON.parse(line);
    } catch {
      return refuse();
    }
  })();
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return refuse();
  refuseOtherColumns(Object.keys(parsed));
  return Object.entries(parsed).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
}

const lines = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/**
 * What the partner has, as CSV with a head or as JSON lines.
 * @throws {ApiProblem} that names the row that cannot be read, and quotes nothing
 */
export function readPartnerList(text: string): ListedCall[] {
  const body = text.replace(/^\uFEFF/, '').trim();
  const rows = body.startsWith('{') ? lines(body).map((line, index) => readLine(line, index + 1)) : readCsv(body);
  if (rows.length > PARTNER_LIST_MAX.rows) refuseRequest(`list: has more than ${PARTNER_LIST_MAX.rows} rows`);
  return rows.map((fields, index) => callOf(fields, index + 1));
}
