import type { z } from 'zod';
import type { ProgramReference } from '#intents/core';
import { idCharsMax, problemsMax } from '../limits.js';

/** A request of the wallet API before it gets a token. */
export interface PlannedRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path and query below the base address. */
  readonly path: string;
  /** JSON text; `null` where no body is sent. */
  readonly body: string | null;
  /** A longer answer is cut off; default `responseBodyBytesMax`. */
  readonly responseBytesMax?: number;
}

/** One thing that is wrong with an input: where, and which rule it breaks. Never a value. */
export interface InputProblem {
  readonly path: string;
  readonly rule: string;
}

/** An input of which no request can be made. Stays inside the gateway: callers get a report or a `GatewayError`. */
export class InvalidRequest extends Error {
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super('invalid request');
    this.problems = problems.slice(0, problemsMax);
  }

  /** `content.person.email: Invalid input: expected string` */
  get texts(): readonly string[] {
    return this.problems.map(({ path, rule }) => `${path}: ${rule}`);
  }
}

/** @throws InvalidRequest */
export function refuse(path: string, rule: string): never {
  throw new InvalidRequest([{ path, rule }]);
}

/**
 * The input as its schema reads it.
 * @param at put before each path, `content`
 * @throws InvalidRequest; zod's messages hold rules, not values
 */
export function checkInput<Value>(schema: z.ZodType<Value>, input: unknown, at = ''): Value {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({ path: pathOf(at, path), rule: message }));
  throw new InvalidRequest(problems);
}

function pathOf(at: string, path: readonly PropertyKey[]): string {
  const steps = [...(at === '' ? [] : [at]), ...path.map(String)];
  return steps.length === 0 ? 'input' : steps.join('.');
}

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
