import type { Mapped } from './attribute-mapping.js';
import { isAbsent, isScalar, valueAt } from './data-path.js';
import type { BusinessKey } from './route-result.js';
import type { Routing } from './routing.js';

/**
 * Business keys (contracts.md section 1, Identity). The program's `purchaseKey` widens the till's number by what makes
 * it unique; for a refund or a grant its own number stands where `purchaseId` stands.
 */
export function purchaseKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  return tillKey(routing, scope, 'purchaseId');
}

export function refundKeyOf(routing: Routing): Mapped<BusinessKey> {
  return tillKey(routing, 'refund', 'refundId');
}

/** A grant carries what widens a purchase only where its producer adds it; missing parts are empty. */
export function grantKeyOf(routing: Routing, scope: 'grant' | 'revocation'): BusinessKey {
  const { event, program } = routing;
  const parts = program.purchaseKey.map((path) => keyPart(event.data, withOwnNumber(path, 'grantId')) ?? '');
  return { scope, parts, perGeneration: false };
}

export function enrolmentKeyOf({ memberId }: Pick<Routing, 'memberId'>): BusinessKey {
  return { scope: 'enrolment', parts: [memberId], perGeneration: true };
}

function tillKey({ event, program }: Routing, scope: BusinessKey['scope'], ownNumber: string): Mapped<BusinessKey> {
  const parts: string[] = [];
  for (const purchasePath of program.purchaseKey) {
    const path = withOwnNumber(purchasePath, ownNumber);
    const part = keyPart(event.data, path);
    if (part === null) return { ok: false, detail: `data.${path.join('.')}: required by purchaseKey` };
    parts.push(part);
  }
  return { ok: true, value: { scope, parts, perGeneration: false } };
}

function withOwnNumber(path: readonly string[], ownNumber: string): readonly string[] {
  return path.length === 1 && path[0] === 'purchaseId' ? [ownNumber] : path;
}

function keyPart(data: object, path: readonly string[]): string | null {
  const value = valueAt(data, path);
  return isAbsent(value) || !isScalar(value) ? null : String(value);
}
