import type { SourceRight } from '#contracts';

/**
 * What may be said by what an event came by: its own words give it no right. A person who takes a record in has looked at it,
 * and is asked for a right of theirs instead.
 */
export interface Authority {
  /** What it came by, in our words: the name of a source, or of a native topic's subject. */
  readonly name: string;
  readonly types: ReadonlySet<string>;
  /** Null: every one. */
  readonly programs: ReadonlySet<string> | null;
  readonly may: ReadonlySet<SourceRight>;
}

/** Whether something may be done by the word of an event alone, as far as what it came by goes. */
export function isAllowed(authority: Authority | null | undefined, right: SourceRight): boolean {
  return authority?.may.has(right) ?? true;
}
