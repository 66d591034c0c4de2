import type { SqlStatement } from '#platform';

/** Injection token of the sandbox's Database. */
export const DATABASE = Symbol('Database');

/** Names carry the sandbox's prefix: they show up beside the daemon's in one database's statistics. */
export function statement(name: string, text: string): SqlStatement {
  return { name: `sandbox_${name}`, text };
}
