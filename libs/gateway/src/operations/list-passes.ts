import { walletPageSchema, type WalletPass } from '#contracts';
import type { Dialect } from '../dialect/dialect-schema.js';
import { isJsonObject } from '../json/read-body.js';
import { listPageBytesMax } from '../limits.js';
import type { PassQuery } from '../port/pass-listing.js';
import { checkInput } from '../wallet/check-input.js';
import { refuse } from '../wallet/invalid-request.js';
import type { PlannedRequest } from '../wallet/planned-request.js';
import { readShape } from '../wallet/read-shape.js';
import { programPath, queryText } from '../wallet/request-path.js';
import { type CheckedFilter, passFilterSchema } from './pass-selection-schema.js';
import { readPass } from './read-pass.js';

type Parameter = readonly [name: string, value: string | undefined, path: string];

/** What is asked for beside the filters. */
export type PageOrCount = { readonly pageNumber: number; readonly pageSize: number } | 'count';

/** 4.5 List wallet passes. @throws InvalidRequest */
export function planList(query: PassQuery, wanted: PageOrCount, dialect: Dialect): PlannedRequest {
  const { brandId, programId, ...filter } = query;
  const parameters = [
    ...pageParameters(wanted, dialect),
    ...filterParameters(checkInput(passFilterSchema, filter), dialect),
  ];
  const path = `${programPath({ brandId, programId })}/wallet-passes${queryText(parameters)}`;
  return { method: 'GET', path, body: null, responseBytesMax: listPageBytesMax };
}

function pageParameters(wanted: PageOrCount, { list: { names, countOnlyValue } }: Dialect): Parameter[] {
  if (wanted === 'count') return [[names.countOnly, countOnlyValue, 'countOnly']];
  return [
    [names.pageSize, String(wanted.pageSize), 'pageSize'],
    [names.pageNumber, String(wanted.pageNumber), 'startPage'],
  ];
}

function filterParameters(filter: CheckedFilter, dialect: Dialect): Parameter[] {
  const { names, timeFormat } = dialect.list;
  const time = (ms: number | undefined): string | undefined => (ms === undefined ? ms : timeText(ms, timeFormat));
  return [
    ['email', filter.email, 'email'],
    ['unique_id', filter.uniqueId, 'uniqueId'],
    [names.serialNumber, filter.serialNumber, 'serialNumber'],
    [names.groupId, filter.groupId, 'groupId'],
    [names.templateId, filter.templateId?.toString(), 'templateId'],
    [names.templateTierId, filter.templateTierId?.toString(), 'templateTierId'],
    [names.statusCode, filter.status && statusText(filter.status.code, dialect), 'status.code'],
    [names.statusCodeQueryType, filter.status?.compare, 'status.compare'],
    [names.lastUpdated, time(filter.lastUpdated?.atMs), 'lastUpdated.atMs'],
    [names.lastUpdatedQueryType, filter.lastUpdated?.compare, 'lastUpdated.compare'],
    [names.lastUpdatedStartDate, time(filter.lastUpdatedFromMs), 'lastUpdatedFromMs'],
    [names.lastUpdatedEndDate, time(filter.lastUpdatedToMs), 'lastUpdatedToMs'],
  ];
}

function timeText(ms: number, format: Dialect['list']['timeFormat']): string {
  switch (format) {
    case 'iso':
      return new Date(ms).toISOString();
    case 'iso-offset':
      return new Date(ms).toISOString().replace('Z', '+0000');
    case 'milliseconds':
      return String(ms);
    default:
      return format satisfies never;
  }
}

function statusText(code: string | number, { list: { statusAs }, status: { numbers } }: Dialect): string {
  if (statusAs === 'name' || typeof code === 'number') return String(code);
  const number = Object.hasOwn(numbers, code) ? numbers[code] : undefined;
  return number === undefined ? refuse('status.code', 'the dialect has no number for it') : String(number);
}

/** A page of the listing as it could be read. */
export interface ReadPage {
  readonly rows: readonly unknown[];
  readonly passes: readonly WalletPass[];
  readonly pageNumber: number | null;
  readonly pageSize: number | null;
  readonly totalCount: number | null;
  readonly alarms: readonly string[];
}

/** @returns `null` when there is no `data` to read */
export function readPage(json: unknown, dialect: Dialect): ReadPage | null {
  if (!isJsonObject(json)) return null;
  const { value, alarms } = readShape(walletPageSchema, json);
  if (value.data === undefined) return null;
  const shapes = value.data.map((row) => (isJsonObject(row) ? readListed(row, dialect) : null));
  const rowAlarms = shapes.flatMap((shape) => (shape === null ? ['data'] : shape.alarms.map((path) => `data.${path}`)));
  return {
    rows: value.data,
    passes: shapes.flatMap((shape) => (shape === null ? [] : [shape.value])),
    pageNumber: value.pageNumber ?? null,
    pageSize: value.pageSize ?? null,
    totalCount: value.totalCount ?? null,
    alarms: [...new Set([...alarms, ...rowAlarms])],
  };
}

function readListed(row: Readonly<Record<string, unknown>>, dialect: Dialect): ReturnType<typeof readPass> {
  const { workflowProperty } = dialect.list;
  const shape = readPass(row, dialect);
  const tracking = workflowProperty === null ? null : (row[workflowProperty] ?? null);
  if (workflowProperty === null || tracking === null || typeof tracking === 'object') return shape;
  return { ...shape, alarms: [...shape.alarms, workflowProperty] };
}
