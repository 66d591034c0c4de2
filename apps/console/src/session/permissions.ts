import type { Me, Role } from './session-store.js';

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Why somebody may not do what takes this role; null: they may. The daemon judges again, and by more. */
export function whyNot({ role, readOnly }: Pick<Me, 'role' | 'readOnly'>, needs: Role): string | null {
  if (readOnly && needs !== 'viewer') return 'This daemon is read-only (OPS_READ_ONLY).';
  if (ranks[role] >= ranks[needs]) return null;
  return `This takes the role ${needs}; yours is ${role}.`;
}
