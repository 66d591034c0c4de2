import type { SearchTexts } from '../../shell/search-texts.js';
import { capital, isOperation, operationName, operationText } from '../../components/operation-words.js';
import { absoluteText } from '../../components/time-words.js';
import type { Preferences } from '../../shell/preferences.js';
import { filterWords } from '../../quarantine/quarantine-filter.js';
import { isRecordKind, type Job } from '../job-kinds.js';

type Selection = NonNullable<Job['selection']>;

/** What of a job its part as a replay shows. */
export interface Replay
  extends
    Pick<Job, 'id' | 'kind' | 'state' | 'error' | 'reason' | 'canary' | 'canaryProgress' | 'createdBy'>,
    Selection {
  readonly ratePerSecond: number;
  readonly query: Readonly<Record<string, unknown>>;
  readonly force: boolean;
}

const noSelection: Selection = { items: 0, members: 0, money: [], byForecast: {}, byState: {} };

export function replayOf({ request, selection, ratePerSecond, ...job }: Job): Replay {
  const query = (request.query ?? {}) as Replay['query'];
  return {
    ...job,
    ...(selection ?? noSelection),
    ratePerSecond: ratePerSecond ?? 1,
    query,
    force: request.force === true,
  };
}

/** What a replay selects by, and what each is called. */
export const filterNames = {
  program: 'Program',
  operation: 'Operation',
  reason: 'Reason',
  code: 'Code',
  fingerprint: 'Fingerprint',
  memberId: 'Member',
  purchaseId: 'Purchase',
  source: 'Source',
  store: 'Store',
  from: 'Recorded from',
  to: 'Recorded before',
  q: 'Search',
} as const;

export type FilterKey = keyof typeof filterNames;
export type ReplayFilter = Readonly<Partial<Record<FilterKey, string>>>;

export const filterKeys = Object.keys(filterNames) as readonly FilterKey[];
const isFilterKey = (key: string): key is FilterKey => key in filterNames;

/** What an address asks for. `status` is left out: only what is parked can be replayed. */
export function filterOf(texts: SearchTexts): ReplayFilter {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => isFilterKey(key)));
}

const encodePart = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const isoOf = (value: unknown): unknown => (typeof value === 'number' ? new Date(value).toISOString() : value);

/**
 * The filter of a replay as one asks for it: the daemon keeps times as numbers, and one intent as the three parts of its id.
 */
export function filterOfReplay({ query }: Pick<Replay, 'query'>): ReplayFilter {
  const { seq, from, to, ...rest } = query;
  const times = { from: isoOf(from), to: isoOf(to) };
  const { program, memberId, ...others } = rest;
  const named =
    seq === undefined
      ? rest
      : { ...others, q: `${encodePart(textOf(program))}~${encodePart(textOf(memberId))}~${textOf(seq)}` };
  const entries = Object.entries({ ...named, ...times }).filter(
    ([key, value]) => isFilterKey(key) && typeof value === 'string',
  );
  return Object.fromEntries(entries);
}

/** `312 purchases`, `1 intent`. */
export function countOf({ operation }: ReplayFilter, count: number): string {
  const intents = count === 1 ? 'intent' : 'intents';
  return `${count.toLocaleString('en')} ${isOperation(operation) ? operationName(operation, count) : intents}`;
}

/** `312 purchases`, `1 record`: what a job is of. */
export function countOfJob(job: Pick<Replay, 'kind' | 'query'>, count: number): string {
  if (!isRecordKind(job.kind)) return countOf(filterOfReplay(job), count);
  return `${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;
}

/** Which records a job is of, in a line. */
export function recordsText({ query }: Pick<Replay, 'query'>): string {
  const scope = filterWords(query);
  return scope === null ? 'All open records' : `Open records with ${scope}`;
}

type TimeZone = Preferences['timeZone'];

/** A part of the filter, as people read it. */
export function partText(key: FilterKey, value: string, timeZone: TimeZone): string {
  if (key === 'operation') return operationText(value);
  const isTime = key === 'from' || key === 'to';
  return isTime && !Number.isNaN(Date.parse(value)) ? absoluteText(Date.parse(value), timeZone) : value;
}

/** What a reason or a code says stands for itself. */
const nameless: readonly FilterKey[] = ['reason', 'code', 'q'];

/** What is selected, in a line: `Purchases of coffee-club: rejected, store hamburg`. */
export function selectionText(filter: ReplayFilter, timeZone: TimeZone): string {
  const { operation, program, ...others } = filter;
  const what = isOperation(operation) ? capital(operationName(operation)) : 'All that is parked';
  const of = program === undefined ? '' : ` of ${program}`;
  const parts = filterKeys.flatMap((key) => {
    const value = key in others ? filter[key] : undefined;
    if (value === undefined) return [];
    const text = partText(key, value, timeZone);
    return [nameless.includes(key) ? text : `${filterNames[key].toLowerCase()} ${text}`];
  });
  return parts.length === 0 ? `${what}${of}` : `${what}${of}: ${parts.join(', ')}`;
}
