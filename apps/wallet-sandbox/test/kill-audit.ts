import pg from 'pg';
import { firstPoints, type KillTraffic, type LoggedCall, rewardPoints } from './kill-traffic.js';
import type { LedgerItem, Reply, SandboxClient } from './sandbox-client.js';

interface StoredTransaction {
  readonly transactionId: number;
  readonly passId: number;
  readonly receipt: string;
}

/** What the sandbox says once its process has been killed and started again, beside what its callers remember. */
export interface Audit {
  readonly ledger: readonly LedgerItem[];
  /** Every call with the entries that carry its request id. */
  readonly calls: readonly { readonly call: LoggedCall; readonly entries: readonly LedgerItem[] }[];
  readonly issues: ReadonlyMap<string, LedgerItem>;
  /** Reward entries of a member, in order. */
  readonly rewards: ReadonlyMap<string, readonly LedgerItem[]>;
}

export const pointsOf = (reply: Reply | null): unknown =>
  (reply?.json['passdata'] as Record<string, unknown>)['points'];

export const pointsAfter = (rewards: number): number => firstPoints + rewards * rewardPoints;

export const readAudit = async (client: SandboxClient, traffic: KillTraffic): Promise<Audit> => {
  const ledger = await client.ledger();
  const byRequest = Map.groupBy(ledger, (item) => item.requestId);
  const ofMember = (operation: string): Map<string, LedgerItem[]> =>
    Map.groupBy(
      ledger.filter((item) => item.operation === operation),
      (item) => String(item.uniqueId),
    );
  const issues = [...ofMember('issue')].flatMap(([member, [first]]) =>
    first === undefined ? [] : [[member, first] as const],
  );
  return {
    ledger,
    calls: traffic.calls.map((call) => ({ call, entries: byRequest.get(call.requestId) ?? [] })),
    issues: new Map(issues),
    rewards: ofMember('reward'),
  };
};

const countsText = `SELECT (SELECT count(*)::int FROM wallet_sandbox.pass) AS passes,
  (SELECT count(*)::int FROM wallet_sandbox.person) AS persons,
  (SELECT count(*)::int FROM wallet_sandbox.transaction) AS transactions,
  (SELECT count(*)::int FROM wallet_sandbox.unique_value) AS "uniqueValues"`;
const transactionsText = `SELECT transaction_id::int AS "transactionId", pass_id::int AS "passId",
  attributes->>'receipt' AS receipt FROM wallet_sandbox.transaction ORDER BY transaction_id`;

interface StoredRows {
  readonly counts: Readonly<Record<'passes' | 'persons' | 'transactions' | 'uniqueValues', number>>;
  readonly transactions: readonly StoredTransaction[];
}

/** No endpoint of the partner's reads a transaction back: what is half written only the tables can tell. */
export const readRows = async (databaseUrl: string): Promise<StoredRows> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const counts = await client.query<StoredRows['counts']>(countsText);
    const { rows: transactions } = await client.query<StoredTransaction>(transactionsText);
    const [row] = counts.rows;
    if (row === undefined) throw new Error('no counts');
    return { counts: row, transactions };
  } finally {
    await client.end();
  }
};
