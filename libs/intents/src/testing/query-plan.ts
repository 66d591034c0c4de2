import type pg from 'pg';

import type { SqlStatement } from '#platform';

/** One step of a plan, as EXPLAIN tells it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

function withChildren(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}

/** All steps by which Postgres would execute a statement. @param parameters SQL literals */
export async function planOf(
  client: pg.Client,
  { name, text }: SqlStatement,
  parameters: readonly string[],
): Promise<PlanNode[]> {
  await client.query(`PREPARE ${name} (${parameters.map(() => 'unknown').join(', ')}) AS ${text}`);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE ${name} (${parameters.join(', ')})`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('EXPLAIN told nothing');
  return withChildren(row['QUERY PLAN'][0].Plan);
}

/** The tables that are read whole. */
export function readWhole(plan: readonly PlanNode[]): string[] {
  return plan.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : []));
}
