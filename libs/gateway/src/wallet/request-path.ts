import type { ProgramReference } from '#domain';
import { idCharsMax } from '../limits.js';
import { refuse } from './invalid-request.js';

/** The path of a program's resources. @throws InvalidRequest */
export function programPath({ brandId, programId }: ProgramReference): string {
  return `${brandPath({ brandId })}/programs/${segment('programId', programId)}`;
}

/** @throws InvalidRequest */
export function brandPath({ brandId }: { readonly brandId: string }): string {
  return `/${segment('brandId', brandId)}`;
}

/**
 * An id as one segment of a path, whatever it holds.
 * @throws InvalidRequest for an id that would change the path
 */
export function segment(name: string, id: string): string {
  if (id === '.' || id === '..') refuse(name, 'cannot be part of a path');
  return encode(name, id);
}

/**
 * A query of the parameters that have a value, in the given order; `''` when none has.
 * @param named the parameter's name at the partner, its value, and its name in our input
 * @throws InvalidRequest for a value that is empty: the partner could take it for no filter at all
 */
export function queryText(
  named: readonly (readonly [name: string, value: string | undefined, path: string])[],
): string {
  const parts = named.flatMap(([name, value, path]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encode(path, value)}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Asked of unknown input: callers without types exist. */
function encode(path: string, id: unknown): string {
  if (typeof id !== 'string') return refuse(path, 'must be text');
  if (id === '') return refuse(path, 'must not be empty');
  if (id.length > idCharsMax) return refuse(path, `must not be longer than ${idCharsMax} characters`);
  if (!id.isWellFormed()) return refuse(path, 'must be well-formed Unicode');
  return encodeURIComponent(id);
}
