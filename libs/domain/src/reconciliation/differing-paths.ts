import type { WalletPass } from '#contracts';

import type { JsonValue } from '../routing/partner-command.js';
import type { ExpectedPass } from './expected-pass.js';

/** The partner may write a date in its own way: the same day at midnight is the same. */
const datePaths: readonly string[] = ['passdata.expiryDate'];

/**
 * Where a pass shows something else than it must. What it does not show at all is not compared: that the partner shows
 * every field is nowhere said (partner-api.md section 2). Pure.
 */
export function differingPaths(expected: ExpectedPass, pass: WalletPass): string[] {
  return [...expected].flatMap(([path, want]) => (isAsExpected(path, want, shownAt(pass, path)) ? [] : [path]));
}

function shownAt(pass: WalletPass, path: string): unknown {
  const [root = '', field] = path.split('.');
  const value = (pass as Readonly<Record<string, unknown>>)[root];
  if (field === undefined) return value;
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[field] : undefined;
}

function isAsExpected(path: string, want: JsonValue, has: unknown): boolean {
  if (has === undefined || want === has) return true;
  if (want === null || has === null) return false;
  if (datePaths.includes(path)) return isSameDate(want, has);
  // An id beyond what a float holds comes as its digits.
  return typeof want === 'number' && typeof has === 'string' && String(want) === has;
}

function isSameDate(want: JsonValue, has: unknown): boolean {
  if (typeof want !== 'string' || typeof has !== 'string') return false;
  const [wanted, shown] = [Date.parse(want), Date.parse(has)];
  return !Number.isNaN(wanted) && wanted === shown;
}
