import type { Program } from '#contracts';
import type { PartnerCommand, TransactionCommand } from '#domain';

import { refuseRequest } from '../requests/read-request.js';

/** An attribute of a transaction type whose value the partner is claimed to refuse twice (`uniqueEnforced`). */
export interface EnforcedAttribute {
  readonly transactionTypeId: string;
  readonly name: string;
}

type UniqueAttribute = NonNullable<TransactionCommand['uniqueAttribute']>;

/** A command as somebody has corrected it, where a correction may leave open what is not for it to say. */
export type DraftCommand =
  | Exclude<PartnerCommand, TransactionCommand>
  | (Omit<TransactionCommand, 'uniqueAttribute'> & {
      readonly uniqueAttribute?: Pick<UniqueAttribute, 'name'> & Partial<UniqueAttribute>;
    });

/** What is known of uniqueness, whatever somebody says. */
interface Known {
  /** The command before the correction; null: there is none. */
  readonly current: PartnerCommand | null;
  readonly enforced: readonly EnforcedAttribute[];
}

/** What the programs file claims. Of two mappings of one type and attribute both must claim it. */
export function enforcedAttributes({ purchases }: Pick<Program, 'purchases'>): EnforcedAttribute[] {
  const { completed, refunded, voided } = purchases;
  const claims = [completed, refunded, voided].flatMap((mapping) => {
    if (mapping?.via !== 'transaction' || mapping.uniqueAttribute === null) return [];
    const { transactionTypeId, uniqueAttribute: name, uniqueEnforced } = mapping;
    return [{ transactionTypeId, name, uniqueEnforced }];
  });
  return claims.filter((claim) => claims.every((other) => other.uniqueEnforced || !isOfSame(claim, other)));
}

function isOfSame(one: EnforcedAttribute, other: EnforcedAttribute): boolean {
  return one.transactionTypeId === other.transactionTypeId && one.name === other.name;
}

/** What the intent was recorded with, as long as type and attribute are the same; else what the programs file claims. */
function isEnforced(attribute: EnforcedAttribute, { current, enforced }: Known): boolean {
  if (current?.operation === 'transaction' && current.uniqueAttribute !== undefined) {
    const { transactionTypeId, uniqueAttribute: before } = current;
    if (isOfSame(attribute, { transactionTypeId, name: before.name })) return before.enforced;
  }
  return enforced.some((claim) => isOfSame(claim, attribute));
}

function valueOf({ attributes }: Pick<TransactionCommand, 'attributes'>, name: string): string {
  const value = attributes[name];
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return refuseRequest(`attributes.${name}: the unique attribute must have a value`);
}

function saysOtherwise(sent: Readonly<Record<string, unknown>>, enforced: boolean): boolean {
  const said = (sent['uniqueAttribute'] as Partial<UniqueAttribute> | null | undefined)?.enforced;
  return said !== undefined && said !== enforced;
}

/**
 * The command with the attribute that the partner refuses twice as it must be. Its value is the attribute's: the two must
 * not part. Enforced is what was recorded or configured, not what somebody says: an unknown outcome is sent again because
 * of it, and without a partner that refuses that would be a second sale.
 * @param sent what somebody has said himself
 * @throws {ApiProblem}
 */
export function withUniqueAttribute(
  draft: DraftCommand,
  sent: Readonly<Record<string, unknown>>,
  known: Known,
): PartnerCommand {
  if (draft.operation !== 'transaction') return draft;
  const { uniqueAttribute, ...rest } = draft;
  if (uniqueAttribute === undefined) return rest;
  const { name } = uniqueAttribute;
  const isSure = isEnforced({ transactionTypeId: draft.transactionTypeId, name }, known);
  if (saysOtherwise(sent, isSure)) {
    refuseRequest('uniqueAttribute.enforced: the programs file says whether the partner enforces it, not a correction');
  }
  return { ...rest, uniqueAttribute: { name, value: valueOf(draft, name), enforced: isSure } };
}
