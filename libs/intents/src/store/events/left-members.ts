import { operationList } from './transition-sql.js';

/**
 * SQL: whether a row of `intent` needs the pass of a `member` who has left and not come back, or lives on in another one: it is
 * sent by nobody's word (`decideMembership`, of what is late).
 */
export function isOfWhoLeft(intent: string, member: string): string {
  return `((${member}.left_at IS NOT NULL AND ${member}.back_at IS NULL OR ${member}.merged_into IS NOT NULL) AND ${intent}.operation IN (${operationList('uses')}))`;
}

/** SQL: whether it needs the card of a `member` whom another one has absorbed. */
export function isOfAbsorbed(intent: string, member: string): string {
  return `(${member}.merged_into IS NOT NULL AND ${intent}.operation IN (${operationList('uses')}))`;
}
