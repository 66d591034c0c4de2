/** A statement as it was sent. */
export interface SentStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

function readBy(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + readBy(plan), 0);
  if (node['Relation Name'] === undefined) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + (node['Actual Rows'] + removed) * node['Actual Loops'];
}

/**
 * How many rows a statement looks at, which no other work of the machine changes, as its duration would.
 * @param query asks the database, on a connection that sees what the statement sees
 */
export async function rowsRead(
  query: (text: string, values: readonly unknown[]) => Promise<readonly object[]>,
  { text, values = [] }: SentStatement,
): Promise<number> {
  const [row] = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const [explained] = (row as { readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] })['QUERY PLAN'];
  if (explained === undefined) throw new Error(`no plan of ${text}`);
  return Math.round(readBy(explained.Plan));
}
