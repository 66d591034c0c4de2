import { z } from 'zod';
import { dialectSchema } from './dialect-schema.js';

/** One entry of the dialect, for its documentation. */
export interface DialectEntry {
  /** `lookup.absent.pattern` */
  readonly path: string;
  readonly description: string;
  /** As JSON. */
  readonly default: string;
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly description?: string;
  readonly default?: unknown;
}

/** All entries in the order of the schema; `docs/partner-dialect.md` is generated from it. */
export function describeDialect(): DialectEntry[] {
  return entriesOf(z.toJSONSchema(dialectSchema, { io: 'input' }) as SchemaNode, '');
}

function entriesOf(node: SchemaNode, prefix: string): DialectEntry[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const path = `${prefix}${key}`;
    if (child.properties !== undefined) return entriesOf(child, `${path}.`);
    return [{ path, description: child.description ?? '', default: JSON.stringify(child.default) }];
  });
}
