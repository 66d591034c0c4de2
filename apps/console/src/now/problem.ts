import type { Answer } from '../api/api-types.js';
import type { FailureGroup } from '../failures/causes.js';
import type { QuarantineCause } from '../quarantine/use-causes.js';

export type Stats = Answer<'/stats'>;
export type DoctorReport = Answer<'/doctor'>;

/**
 * `broken`: members are not served, or it gets worse by the minute. `attention`: it needs a person, not at once. `note`: good
 * to know; all is well all the same.
 */
export type Severity = 'broken' | 'attention' | 'note';

/** Where more is to be seen of it. */
interface TroublePlace {
  readonly to: '/' | '/failures' | '/intents' | '/pauses' | '/quarantine' | '/jobs/$kind/$id' | '/settings';
  /** Which one, where that screen is of one thing. */
  readonly params?: { readonly kind: string; readonly id: string };
  readonly search?: Readonly<Record<string, string>>;
  /** A part of that screen. */
  readonly hash?: string;
  /** What the link says. */
  readonly name: string;
}

/** Something that is not as it should be. */
export interface Problem {
  readonly id: string;
  readonly severity: Severity;
  /** Of two of the same severity the heavier one comes first. */
  readonly weight: number;
  /** One sentence, without a full stop. */
  readonly text: string;
  readonly place: TroublePlace | null;
  /** Where more is said of it: a page below `docs/`. */
  readonly page: string;
}

/** What is looked at to say how things stand. */
export interface Looked {
  readonly stats: Stats;
  readonly groups: readonly FailureGroup[];
  /** What is set aside, by why, the most first; absent: not read yet, or not for this token. */
  readonly causes?: readonly QuarantineCause[] | undefined;
  /** Null: not examined yet, or not for this token. */
  readonly doctor: DoctorReport | null;
  /** A token limited to programs is not told which processes there are. */
  readonly isWhole: boolean;
  /** A moment as it is to be read. */
  readonly timeText: (at: string) => string;
}

export const countText = (count: number): string => count.toLocaleString('en');

/** `1 member`, `312 members`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`;

/** How many intents stand so, of one program or of all. */
export function standing(stats: Stats, statuses: readonly string[], program?: string): number {
  return stats.intents
    .filter((count) => statuses.includes(count.status) && (program === undefined || count.program === program))
    .reduce((sum, { intents }) => sum + intents, 0);
}
