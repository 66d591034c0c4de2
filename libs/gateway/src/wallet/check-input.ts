import type { z } from 'zod';
import { InvalidRequest } from './invalid-request.js';

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
