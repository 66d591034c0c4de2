import { hasItems, isTried, type Job, type JobKind, type ManyKind } from './job-kinds.js';

/** How far a job is: of a total where there is one, else how much it has done. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
  /** What is counted, such as `passes listed`. */
  readonly of: string;
}

type Counts = Job['progress'];

const sum = (counts: Counts, names: readonly string[]): number =>
  names.reduce((total, name) => total + (counts[name] ?? 0), 0);

const steps = ['created', 'updated', 'inPlace', 'refused', 'unknown', 'skipped', 'leftAlone'];

const listing = (counts: Counts): Progress => ({
  done: counts.rows ?? 0,
  total: counts.totalCount ?? null,
  of: 'passes listed',
});

const readers: Readonly<Record<Exclude<JobKind, 'replay' | ManyKind>, (counts: Counts) => Progress>> = {
  // Members that the listing lacks are looked up after it: then the bar is full and the job goes on.
  reconcile: listing,
  reread: (counts) => ({ done: counts.read ?? 0, total: null, of: 'answers read' }),
  'reread-topic': (counts) => ({ done: counts.offsetsRead ?? 0, total: counts.offsets ?? null, of: 'offsets read' }),
  export: (counts) => ({ done: sum(counts, ['intents', 'events']), total: null, of: 'lines counted' }),
  provision: (counts) => ({ done: sum(counts, steps), total: counts.steps ?? null, of: 'steps' }),
  schedule: (counts) => ({ done: counts.selected ?? 0, total: null, of: 'passes selected' }),
  erase: (counts) => ({ done: counts.quarantineLooked ?? 0, total: null, of: 'records set aside looked through' }),
};

type Moved = Pick<Job, 'kind' | 'progress'> & Partial<Pick<Job, 'request' | 'selection' | 'state' | 'startedAt'>>;

/** Of its items those that are neither waiting nor under way. */
function endedOf({ items, byState }: NonNullable<Job['selection']>): Progress {
  return { done: items - (byState.waiting ?? 0) - (byState.sent ?? 0), total: items, of: 'ended' };
}

const noSelection: NonNullable<Job['selection']> = { items: 0, members: 0, money: [], byForecast: {}, byState: {} };

function itemsOf({ kind, progress, selection, state = 'planned', startedAt = null }: Moved): Progress {
  const { items, ...counts } = selection ?? noSelection;
  if (!isTried({ kind, state, startedAt })) return endedOf({ items, ...counts });
  return { done: progress.tried ?? 0, total: items, of: 'records tried' };
}

export function progressOf(job: Moved): Progress {
  const { kind, progress, request } = job;
  if (hasItems(kind)) return itemsOf(job);
  // A plan makes no step.
  if (kind === 'provision' && request?.apply === false) {
    return { done: progress.steps ?? 0, total: null, of: 'steps planned' };
  }
  return readers[kind as keyof typeof readers](progress);
}

const doneMin = 0.02;

/** By how fast it went so far; null where nobody knows, or it does not move. A pause makes it too long. */
export function msLeft(job: Moved & Pick<Job, 'state' | 'createdAt'>, nowMs: number): number | null {
  const { done, total } = progressOf(job);
  if (job.state !== 'running' || total === null || total === 0) return null;
  const share = done / total;
  if (share < doneMin || share >= 1) return null;
  return ((nowMs - Date.parse(job.createdAt)) * (1 - share)) / share;
}

/** `1,200 of 4,000 passes listed` */
export function progressText({ done, total, of }: Progress): string {
  const text = done.toLocaleString('en');
  return total === null ? `${text} ${of}` : `${text} of ${total.toLocaleString('en')} ${of}`;
}

/** `waitingForAttempt` as `waiting for attempt`. */
export const wordsOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A report as far as it is numbers, texts and booleans, one below the other; what is nested further is shown as JSON. */
export function reportFacts(report: unknown, prefix = ''): readonly { readonly name: string; readonly text: string }[] {
  if (typeof report !== 'object' || report === null || Array.isArray(report)) return [];
  return Object.entries(report).flatMap(([key, value]) => {
    const name = prefix + wordsOf(key);
    if (typeof value === 'number') return [{ name, text: value.toLocaleString('en') }];
    if (typeof value === 'string') return [{ name, text: value }];
    if (typeof value === 'boolean') return [{ name, text: value ? 'yes' : 'no' }];
    return reportFacts(value, `${name}: `);
  });
}

const partsOf = (asked: object): readonly string[] =>
  (Object.entries(asked) as [string, unknown][]).flatMap(([key, value]) => {
    const name = wordsOf(key);
    if (value === null || value === false) return [];
    if (value === true) return [name];
    if (typeof value === 'object') return [`${name} ${partsOf(value).join(' and ')}`];
    return [`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });

/** What it was asked to do, such as `repair, updated since 2026-11-01`, `change points 7`. */
export const requestText = ({ request }: Pick<Job, 'request'>): string => partsOf(request).join(', ');
