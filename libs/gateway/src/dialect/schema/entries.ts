import { z } from 'zod';
import { patternCharsMax } from '../../limits.js';

/** A name of the partner's: of a property or a query parameter. */
export const partnerName = z.string().min(1).max(100);

export const httpStatus = z.int().min(100).max(599);

/** A list of accepted statuses, or every 2xx. */
export const successStatuses = z.union([z.literal('2xx'), z.array(httpStatus).min(1)]);

/** A regular expression; case is ignored. */
export const pattern = z.string().min(1).max(patternCharsMax).refine(isPattern, 'is not a valid regular expression');

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu') instanceof RegExp;
  } catch {
    return false;
  }
}

/** An entry that is a name. */
export const name = (fallback: string, meaning: string): z.ZodDefault<typeof partnerName> =>
  partnerName.default(fallback).describe(meaning);

/**
 * Names that go into the same place must differ, from each other and from the documented ones beside them: one would
 * silently overwrite the other.
 */
export function distinctNames<Shape extends z.ZodRawShape>(
  shape: Shape,
  documented: readonly string[],
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape).refine((names) => {
    const all = [...Object.values(names), ...documented];
    return new Set(all).size === all.length;
  }, 'two properties share a name');
}
