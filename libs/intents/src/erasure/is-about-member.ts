import type { DeadLetter } from '../quarantine/dead-letters.js';

export interface MemberName {
  readonly program: string;
  readonly memberId: string;
}

type Named = { readonly program?: unknown; readonly memberId?: unknown };

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Who the record says it is about: in `data` of a structured CloudEvent, at the top of a binary one. */
function namedIn(value: unknown): Named {
  if (!isObject(value)) return {};
  const { data } = value;
  return isObject(data) ? data : value;
}

/**
 * In a text that is no JSON, or names nobody where it should: cut off, of an unknown kind, in another shape. An id of
 * digits may stand there as a number.
 */
function isNamedIn(text: string, memberId: string): boolean {
  const quoted = JSON.stringify(memberId).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const written = isNumeric(memberId) ? String.raw`(?:${quoted}|${memberId}(?![\d.eE]))` : quoted;
  return new RegExp(String.raw`(?:memberId|subject)"\s*:\s*${written}`).test(text);
}

function isOfOtherProgram(named: Named, program: string): boolean {
  return typeof named.program === 'string' && named.program !== program;
}

function isNumeric(memberId: string): boolean {
  return /^\d+$/.test(memberId);
}

/**
 * Whether a record that was set aside is about a member. Where it names a member, that decides, and so does the program
 * that it names, unless that is none of ours: a misspelled one says nothing. Where it names nobody, its key (producers send
 * the member's id), its subject, or a member's id anywhere in its text is enough: what cannot be read is of no use to
 * anybody, and may be personal.
 */
export function isAboutMember(
  { key, value, headersText, reason }: DeadLetter,
  { program, memberId }: MemberName,
): boolean {
  const text = value === null ? '' : Buffer.from(value).toString('utf8');
  const named = namedIn(parsed(text));
  if (isOfOtherProgram(named, program) && reason !== 'unknown-program') return false;
  if (typeof named.memberId === 'string') return named.memberId === memberId;
  const keyText = key === null ? '' : Buffer.from(key).toString('utf8');
  return keyText === memberId || isNamedIn(text, memberId) || isNamedIn(headersText, memberId);
}
