import type { Operator, Role } from '../operator.js';

/** Claims as a verified token has them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Of a person's name in the audit, in characters. */
export const nameLengthMax = 100;
/** Names of claims have dots themselves (`https://example.org/roles`); a path with more parts is not looked through. */
export const pathPartsMax = 20;

const rolesFromHighest: readonly Role[] = ['admin', 'operator', 'viewer'];
const nameClaims = ['preferred_username', 'email', 'sub'];

function isRecord(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of names joined by dots; a name that has dots itself is found as a whole. */
function valueAt(claims: unknown, names: readonly string[]): unknown {
  if (names.length === 0) return claims;
  if (!isRecord(claims)) return undefined;
  for (let taken = names.length; taken > 0; taken -= 1) {
    const name = names.slice(0, taken).join('.');
    const value = Object.hasOwn(claims, name) ? valueAt(claims[name], names.slice(taken)) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The highest role that the claim holds, as a text or in a list; null where it holds none. */
export function roleOf(claims: Claims, roleClaim: string): Role | null {
  const names = roleClaim.split('.');
  const held = names.length > pathPartsMax ? [] : textsOf(valueAt(claims, names));
  return rolesFromHighest.find((role) => held.includes(role)) ?? null;
}

/** One line of visible characters. */
function plainText(value: unknown): string {
  if (typeof value !== 'string') return '';
  const visible = value.slice(0, 10 * nameLengthMax).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(visible.trim()).slice(0, nameLengthMax).join('').trim();
}

/** What the person is called in the audit; null where the token names nobody. */
export function nameOf(claims: Claims): string | null {
  return nameClaims.map((claim) => plainText(claims[claim])).find((name) => name !== '') ?? null;
}

/** Until when the token lets its bearer in, epoch ms. */
export function endOf({ exp }: Claims): Pick<Operator, 'until'> {
  return typeof exp === 'number' ? { until: exp * 1_000 } : {};
}
