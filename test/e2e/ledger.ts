/** One applied effect, as the sandbox's own ledger shows it (contracts.md section 9). */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
}

const pageSize = 10_000;

/** The whole ledger in the order in which the effects were applied. */
export async function readLedger(sandboxUrl: string): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: number | null = 0; after !== null;) {
    const response = await fetch(`${sandboxUrl}/__ledger?after=${after}&limit=${pageSize}`);
    const page = (await response.json()) as { items: LedgerEntry[]; nextAfter: number | null };
    entries.push(...page.items);
    after = page.nextAfter;
  }
  return entries;
}

/** How many effects the sandbox has applied. */
export async function ledgerSize(sandboxUrl: string): Promise<number> {
  return (await readLedger(sandboxUrl)).length;
}
