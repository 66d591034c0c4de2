import type { ReadAgainRecord } from '#intents';
import { intentId } from '#intents';

import type { JobFindings } from '../../job-repository.js';
import { differencesOf } from './event-differences.js';

/** Of each result so many are listed. */
export const resultsListedMax = 10;
/** Of what maps otherwise so many, and of what was ignored before: each is for a person. */
export const differencesListedMax = 10_000;

type Counts = Readonly<Record<string, number>>;
type Line = JobFindings['lines'][number];

interface ReadRecords {
  readonly topic: string;
  readonly partition: number;
  readonly read: readonly ReadAgainRecord[];
  /** Nothing was recorded. */
  readonly isDryRun: boolean;
}

/** What is said of one record. */
interface Told {
  /** Its counts. */
  readonly names: readonly string[];
  readonly kind: string;
  readonly more?: Line;
  readonly listedMax: number;
}

/** Counts what became of records, and lists the first of each. Pure. */
export function countRead(before: Counts, records: ReadRecords): JobFindings {
  const progress: Record<string, number> = { ...before };
  const lines: Line[] = [];
  const add = (name: string, count = 1): void => {
    progress[name] = (progress[name] ?? 0) + count;
  };
  add('records', new Set(records.read.map(({ record }) => record.original)).size);
  for (const read of records.read) {
    const { names, kind, more = {}, listedMax } = tell(read, records);
    for (const name of names) add(name);
    const last = names.at(-1) ?? kind;
    if ((progress[last] ?? 0) <= listedMax) lines.push({ kind, place: placeOf(read, records), ...more });
  }
  return { progress, lines };
}

function placeOf({ record }: ReadAgainRecord, { topic, partition }: ReadRecords): string {
  const { original, event } = record;
  const place = `${topic}/${partition}@${original.offset}`;
  return event === undefined || event.count === 1 ? place : `${place} event ${event.ordinal}`;
}

const plain = (name: string, kind: string, more?: Line): Told => ({
  names: [name],
  kind,
  listedMax: resultsListedMax,
  ...(more && { more }),
});

const identities: readonly string[] = ['duplicate-event', 'duplicate-business-key'];

function tell({ record, result }: ReadAgainRecord, { isDryRun }: ReadRecords): Told {
  switch (result.kind) {
    case 'recorded':
      return isDryRun ? plain('missed', 'missed') : plain('recorded', 'recorded');
    case 'ignored':
      return identities.includes(result.reason)
        ? plain('knownByIdentity', 'known-by-identity')
        : plain('ignored', 'ignored', { reason: result.reason });
    case 'quarantined':
      return setAside(record, result.reason);
    case 'known-place':
      return plain('knownByPlace', 'known-by-place');
    case 'aside':
      return plain('aside', 'aside');
    case 'ignored-before':
      return { ...plain('ignoredBefore', 'ignored-before'), listedMax: differencesListedMax };
    case 'too-old':
      return plain('tooOld', 'too-old');
    case 'differs':
      return { ...plain('differs', 'differs', difference(record, result)), listedMax: differencesListedMax };
    default:
      return result satisfies never;
  }
}

function setAside({ verdict }: ReadAgainRecord['record'], reason: string): Told {
  const detail = verdict.kind === 'quarantine' ? { detail: verdict.detail } : {};
  const told = plain('quarantined', 'quarantined', { reason, ...detail });
  return { ...told, names: ['quarantined', `quarantine-${reason}`] };
}

type Differing = Extract<ReadAgainRecord['result'], { kind: 'differs' }>;

function difference({ verdict }: ReadAgainRecord['record'], { recorded, made }: Differing): Line {
  const intent = recorded === null ? null : intentId(recorded);
  // Neither is an event of its own: nothing is made of the record any more.
  if (made.length === 0) return { intent, reason: verdict.kind === 'routed' ? null : verdict.reason };
  return { intent, differences: differencesOf(recorded?.text ?? null, made) };
}
