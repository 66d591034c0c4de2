import type { IntentStanding, QuarantinedRecord } from '#intents';
import { listQuarantined, listStandings } from '#intents';
import type { Database } from '#platform';

import type { LedgerEntry } from '../audit/audit-input.js';

const ledgerPageMax = 10_000;
const requestTimeoutMs = 30_000;

interface LedgerPage {
  readonly items: readonly LedgerEntry[];
  readonly nextAfter: number | null;
}

/** The sandbox's own ledger, all of it, by plain HTTP: nothing of the daemon stands between. */
export async function readLedger(authUrl: string): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: number | null = 0; after !== null;) {
    const response = await fetch(`${authUrl}/__ledger?after=${after}&limit=${ledgerPageMax}`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    if (!response.ok) throw new Error(`the sandbox's ledger answered ${response.status}`);
    const page = (await response.json()) as LedgerPage;
    entries.push(...page.items);
    after = page.nextAfter;
  }
  return entries;
}

export async function readStandings(database: Database): Promise<readonly IntentStanding[]> {
  const standings: IntentStanding[] = [];
  for (;;) {
    const page = await listStandings(database, standings.at(-1) ?? { laneId: 0, seq: 0 });
    if (page.length === 0) return standings;
    standings.push(...page);
  }
}

export async function readQuarantined(database: Database): Promise<readonly QuarantinedRecord[]> {
  const records: QuarantinedRecord[] = [];
  for (;;) {
    const page = await listQuarantined(database, records.at(-1)?.quarantineId ?? 0);
    if (page.length === 0) return records;
    records.push(...page);
  }
}
