import type { DoctorCheck } from '#contracts';

/** One line of the report; its page follows from its name (`pages.ts`). */
export type Finding = Omit<DoctorCheck, 'page'>;

export function ok(name: string, detail: string): Finding {
  return { name, state: 'ok', detail, remedy: null };
}

/** Nothing to be done about it. */
export function skipped(name: string, detail: string): Finding {
  return { name, state: 'skipped', detail, remedy: null };
}

/** What is wrong, and what to do about it. */
export interface Trouble {
  readonly detail: string;
  /** For a person at 3 a.m.: what to do next. */
  readonly remedy: string;
}

export function warning(name: string, { detail, remedy }: Trouble): Finding {
  return { name, state: 'warning', detail, remedy };
}

export function failed(name: string, { detail, remedy }: Trouble): Finding {
  return { name, state: 'failed', detail, remedy };
}

/** Everything that is wrong, or that all is well. */
export function troublesOr(troubles: readonly Finding[], well: Finding): readonly Finding[] {
  return troubles.length > 0 ? troubles : [well];
}

/** Names in one line. */
const namesShownMax = 10;

/** `a, b, c and 12 more` */
export function nameList(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).join(', ');
  const rest = names.length - namesShownMax;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `250 ms`, `42 s`, `12 min`, `5 h`, `3 days` */
export function durationText(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 2 * minuteMs) return `${(ms / secondMs).toFixed(ms < 10 * secondMs ? 1 : 0)} s`;
  if (ms < 2 * hourMs) return `${Math.round(ms / minuteMs)} min`;
  return ms < 2 * dayMs ? `${Math.round(ms / hourMs)} h` : `${Math.round(ms / dayMs)} days`;
}
