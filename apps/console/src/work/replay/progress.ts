import { capital } from '../../components/operation-words.js';
import { durationText } from '../../components/time-words.js';
import { explain } from '../../failures/causes.js';
import { lookWords } from '../../member/proof-words.js';
import type { Replay } from './replay-filter.js';

/** The parts of a replay's bar, in the order in which an item goes through them. */
export const itemStates = [
  'done',
  'delivered',
  'parked',
  'cancelled',
  'refused',
  'skipped',
  'sent',
  'waiting',
] as const;

export type ItemState = (typeof itemStates)[number];

export const itemStateNames: Readonly<Record<ItemState, string>> = {
  done: 'done',
  delivered: 'delivered',
  parked: 'failed again',
  cancelled: 'cancelled',
  refused: 'not sent',
  skipped: 'skipped',
  sent: 'under way',
  waiting: 'waiting',
};

const details: Readonly<Record<string, string>> = {
  'changed-since': 'It has moved since it was selected',
  blocks: 'It holds the queue of its member: resolve it by itself',
  'needs-admin': 'Only an admin may correct it so',
  'nothing-changed': 'It says that already',
  'not-recorded': 'It has left',
  'replayed-too-often': 'It came back five times or more: find out why; an admin may force it',
  'over-refund': 'More would come back than was paid: correct or cancel it; an admin may force it',
  'lane-blocked': 'Another intent of its member blocks the queue',
  'in-doubt': 'It may have taken effect: look at the partner and resolve it',
  'not-parked': 'Somebody else has dealt with it',
  'already-settled': 'It is settled already',
  'in-flight': 'It is under way',
  erased: 'The member was erased',
  voided: 'A void or revocation took it back',
  'nothing-to-send': 'No call can carry it',
  'not-a-member': 'Its member has left the program',
  merged: 'Another member has absorbed its member',
  'too-many-put-back': 'Too many of this member were put back',
};

/** Parked again: `rejected refused` is the reason, and the code of its last attempt. */
function parkedText(detail: string): string {
  const [reason = '', ...parts] = detail.split(' ');
  const short = capital(explain({ status: 'parked', reason }).short);
  const code = parts.join(' ');
  return ['', 'refused'].includes(code) ? short : `${short}: ${code}`;
}

/** `unproven: of another type than the list has`: what comes after it says why. */
function sentenceOf(detail: string): string | null {
  const [, text] = /^[a-z-]+: (.+)$/s.exec(detail) ?? [];
  return text === undefined ? null : capital(text);
}

/** `proves-nothing: no-trace`: what a look at the partner has shown. */
function lookedText(detail: string): string | null {
  const [, code] = /^prove[sd]-[a-z]+: ([a-z-]+)$/.exec(detail) ?? [];
  return code === undefined ? null : lookWords(code);
}

/** Why an item was refused, parked again or stands still. */
export const detailText = (detail: string | null): string =>
  detail === null ? '' : (details[detail] ?? lookedText(detail) ?? sentenceOf(detail) ?? parkedText(detail));

/** What of its member has gone before it although it came later. */
export function overtakenText(overtaken: number): string {
  if (overtaken === 0) return '–';
  return overtaken === 1 ? '1 later one went before it' : `${overtaken.toLocaleString('en')} later ones went before it`;
}

export interface Progress {
  /** Neither waiting nor under way. */
  readonly ended: number;
  readonly percent: number;
  readonly parts: readonly { readonly state: ItemState; readonly count: number; readonly share: number }[];
}

export function progressOf({ items, byState }: Pick<Replay, 'items' | 'byState'>): Progress {
  const parts = itemStates
    .map((state) => ({ state, count: byState[state] ?? 0, share: items === 0 ? 0 : (byState[state] ?? 0) / items }))
    .filter(({ count }) => count > 0);
  const ended = items - (byState.waiting ?? 0) - (byState.sent ?? 0);
  return { ended, percent: items === 0 ? 0 : Math.floor((ended / items) * 100), parts };
}

export interface Sample {
  readonly atMs: number;
  readonly ended: number;
}

/** So far back the speed is measured. */
const measuredMs = 30_000;
const samplesMsMin = 3_000;

/** With the newest one, without those that are too old to say how fast it is now. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter(({ atMs }) => sample.atMs - atMs <= measuredMs), sample];
}

/** Items a second, as they came to an end lately; null where that cannot be said yet. */
export function speedOf(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.atMs - first.atMs < samplesMsMin) return null;
  return ((last.ended - first.ended) / (last.atMs - first.atMs)) * 1_000;
}

/** `9.6 a second (at most 10); about 21 s left`. */
export function speedText({ items, byState, ratePerSecond, state }: Replay, speed: number | 'held' | null): string {
  const most = ratePerSecond.toLocaleString('en');
  if (state !== 'running' && state !== 'waiting') return `At most ${most} a second when it goes on`;
  if (speed === 'held') return `Waits for a pause; at most ${most} a second once it is resumed`;
  const left = items - progressOf({ items, byState }).ended;
  const measured = speed === null || speed <= 0 ? null : speed;
  const shown = measured === null ? `At most ${most} a second` : `${measured.toFixed(1)} a second (at most ${most})`;
  if (left === 0) return shown;
  return `${shown}; about ${durationText(Math.max(1_000, (left / Math.min(measured ?? ratePerSecond, ratePerSecond)) * 1_000))} left`;
}
