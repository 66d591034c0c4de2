import type { Query } from '../api/api-types.js';
import { operations } from '../components/operation-words.js';
import { agoMs } from '../components/time-input.js';
import type { SearchTexts } from '../shell/search-texts.js';

/** What `GET /intents` takes, but for its order and where a page begins and ends. */
export type IntentFilters = Omit<Query<'/intents'>, 'order' | 'cursor' | 'limit'>;

export const statuses = ['waiting', 'pending', 'delivering', 'unknown', 'delivered', 'parked', 'cancelled'] as const;

/** In the order in which they are asked for. */
const filterNames = [
  'q',
  'status',
  'operation',
  'program',
  'memberId',
  'purchaseId',
  'source',
  'store',
  'reason',
  'code',
  'fingerprint',
  'from',
  'to',
] as const satisfies readonly (keyof IntentFilters)[];

export type FilterName = (typeof filterNames)[number];

export const filterLabels: Readonly<Record<FilterName, string>> = {
  q: 'Id',
  status: 'Status',
  operation: 'Operation',
  program: 'Program',
  memberId: 'Member',
  purchaseId: 'Purchase',
  source: 'Source',
  store: 'Store',
  reason: 'Reason',
  code: 'Code',
  fingerprint: 'Fingerprint',
  from: 'From',
  to: 'To',
};

/** What people write in an address by hand. */
const otherNames: Readonly<Partial<Record<FilterName, string>>> = { memberId: 'member', purchaseId: 'purchase' };

/** The filters as they stand in an address, in their order: `from=2h` is still `2h`. */
export function filterTexts(search: SearchTexts): Readonly<Partial<Record<FilterName, string>>> {
  const texts: Partial<Record<FilterName, string>> = {};
  for (const name of filterNames) {
    const text = (search[name] ?? search[otherNames[name] ?? ''] ?? '').trim();
    if (text !== '') texts[name] = text;
  }
  return texts;
}

/** Takes all filters out of an address but leaves the rest of it, and the other spellings of their names as well. */
export const noFilters: Readonly<Record<string, null>> = Object.fromEntries(
  [...filterNames, ...Object.values(otherNames)].map((name) => [name, null]),
);

/** One filter, such as it goes into an address: empty takes it away. */
export function filterChange(name: FilterName, text: string): Readonly<Record<string, string | null>> {
  const other = otherNames[name];
  return { [name]: text.trim() === '' ? null : text.trim(), ...(other === undefined ? {} : { [other]: null }) };
}

function startOfDay(nowMs: number, timeZone: 'local' | 'utc'): number {
  const day = new Date(nowMs);
  return timeZone === 'utc' ? day.setUTCHours(0, 0, 0, 0) : day.setHours(0, 0, 0, 0);
}

/** `today`, `15m`, `2h`, `7d`: so long ago; else a moment. Null: it means nothing. */
export function momentOf(text: string, nowMs: number, timeZone: 'local' | 'utc'): string | null {
  const at = text === 'today' ? startOfDay(nowMs, timeZone) : (agoMs(text, nowMs) ?? Date.parse(text));
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

export interface ReadFilters {
  /** What the API is asked for. */
  readonly query: IntentFilters;
  /** What cannot be meant, in words: such filters are left out of the query. */
  readonly problems: readonly string[];
}

/** Several statuses at once, as people ask for them. */
export const statusSets: readonly { readonly value: string; readonly text: string }[] = [
  { value: 'parked,unknown', text: 'parked or unknown' },
  { value: 'pending,delivering', text: 'pending or delivering' },
  { value: 'waiting,pending,delivering,unknown,parked', text: 'not delivered' },
];

export const statusText = (value: string): string =>
  statusSets.find((set) => set.value === value)?.text ?? value.split(',').join(' or ');

const isOneOf = (values: readonly string[], value: string): boolean => values.includes(value);

/** What the API is asked for an address. */
export function readFilters(search: SearchTexts, nowMs: number, timeZone: 'local' | 'utc'): ReadFilters {
  const query: Record<string, string> = { ...filterTexts(search) };
  const problems: string[] = [];
  const leaveOut = (name: FilterName, why: string): void => {
    problems.push(`${filterLabels[name]} "${query[name] ?? ''}" ${why}`);
    Reflect.deleteProperty(query, name);
  };
  const asked = query.status?.split(',') ?? [];
  if (asked.some((status) => !isOneOf(statuses, status))) leaveOut('status', 'is none of the statuses');
  const isOperation = query.operation === undefined || isOneOf(operations, query.operation);
  if (!isOperation) leaveOut('operation', 'is none of the operations');
  for (const name of ['from', 'to'] as const) {
    const text = query[name];
    if (text === undefined) continue;
    const moment = momentOf(text, nowMs, timeZone);
    if (moment === null) leaveOut(name, 'is no time: write 2h, 7d, today or 2026-11-27T08:00');
    else query[name] = moment;
  }
  return { query, problems };
}

/** Why a replay cannot take what these filters show; null: it can. */
export function replayObstacle(query: IntentFilters): string | null {
  const { status, reason } = query;
  if (Object.keys(query).length === 0) {
    return 'Choose first: a status, a program, a time. Without a filter this would be everything that is parked.';
  }
  const isParked = status === undefined || status.split(',').includes('parked');
  if (isParked && reason !== 'unknown-outcome') return null;
  if (isParked || status === 'unknown') {
    return 'What is in doubt is not sent again by many: look at the partner, then resolve each.';
  }
  return `Only what is parked can be replayed, and this shows what is ${statusText(status)}.`;
}
