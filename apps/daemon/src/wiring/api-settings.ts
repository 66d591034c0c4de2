import type { Environment } from '#contracts';
import type { ApiSettings } from '#operations';
import type { Clock } from '#platform';

/** What the operations API needs; null without the operations role. */
export function apiSettings({ roles, operations, kafka }: Environment, clock: Clock): ApiSettings | null {
  if (!roles.includes('operations')) return null;
  return { tokens: operations.tokens, isReadOnly: operations.readOnly, topics: kafka?.topics ?? null, clock };
}
