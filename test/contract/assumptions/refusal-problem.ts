import type { Seen } from '../interpreter/contract-client.js';
import type { Names } from '../interpreter/names.js';
import { resolve, type Scope } from '../interpreter/scope.js';
import type { Assumption } from './assumption.js';
import { refusalOf } from './unknown-names.js';

type Refusal = NonNullable<Assumption['refusal']>;

/** In which way a refusal is not what the dialect expects of it; null when it is. */
export function refusalProblem(
  { statusIn, says, mentionsOneOf, or }: Refusal,
  seen: Seen,
  { names, scope }: { readonly names: Names; readonly scope: Scope },
): string | null {
  const message = refusalOf(seen) ?? '';
  if (statusIn !== undefined && !(names.at(statusIn) as unknown[]).includes(seen.status)) return 'another status';
  if (says !== undefined && !new RegExp(String(names.at(says)), 'iu').test(message)) return 'no such words';
  if (mentionsOneOf === undefined) return null;
  const words = [...(names.at(mentionsOneOf) as string[]), ...(resolve(or, scope) as string[])];
  return words.some((word) => message.toLowerCase().includes(word.toLowerCase())) ? null : 'none of the names';
}
