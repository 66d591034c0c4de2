import type { Environment } from '#contracts';

import type { Finding } from '../finding.js';
import { ok, skipped, warning } from '../finding.js';

const name = 'operations.access';

/** Who may use the operations API. */
export function judgeAccess({ roles, operations }: Pick<Environment, 'roles' | 'operations'>): Finding {
  if (!roles.includes('operations')) return skipped(name, 'this process has no operations role');
  const { tokens, oidc, readOnly } = operations;
  const count = (role: string): number => tokens.filter((token) => token.role === role).length;
  const parts = [
    `tokens: ${count('viewer')} viewer, ${count('operator')} operator, ${count('admin')} admin`,
    ...(oidc === null ? [] : ['others by OIDC']),
    ...(readOnly ? ['read-only (OPS_READ_ONLY)'] : []),
  ];
  const detail = parts.join('; ');
  const mayAnybodyAct = count('operator') + count('admin') > 0 || oidc !== null;
  if (mayAnybodyAct && !readOnly) return ok(name, detail);
  const remedy = mayAnybodyAct
    ? 'Nobody can replay, pause or cancel anything until OPS_READ_ONLY is off.'
    : 'Nobody can replay, pause or cancel anything: add a token with the role operator to OPS_TOKENS.';
  return warning(name, { detail, remedy });
}
