import type { DoctorCheck } from '#contracts';

/** One line of the report. */
export type Finding = DoctorCheck;

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
