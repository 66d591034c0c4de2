import { readSaidEvent } from './said-event.js';
import type { SourceRecord } from './source-record.js';

export interface NamedMember {
  readonly program: string;
  readonly memberId: string;
}

/**
 * The member that a record names, whether or not the rest of it can be accepted; for an event that is accepted, the
 * same as in its data. Whether it is accepted depends on the reader's clock and version, whom it names does not: two
 * readers that share the members must not each leave it to the other.
 */
export function namedMember(record: Omit<SourceRecord, 'now'>): NamedMember | null {
  return memberOf(readSaidEvent(record)?.data);
}

function memberOf(data: unknown): NamedMember | null {
  if (typeof data !== 'object' || data === null) return null;
  const { program, memberId } = data as Partial<Record<keyof NamedMember, unknown>>;
  return isName(program) && isName(memberId) ? { program, memberId } : null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
