import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { waitUntil } from '#embedded';
import { chanceAt } from '../src/faults/fault-injector.js';
import type { LedgerItem, Reply, SandboxClient } from './sandbox-client.js';

const firstPoints = 100;
/** Of reward 9001. */
const rewardPoints = -10;

const programPath = '/brands/101/programs/2001';

interface Wish {
  readonly operation: 'issue' | 'transaction' | 'reward' | 'lookup';
  readonly member: string;
  /** The value of the unique attribute `receipt`, or null. */
  readonly receipt: string | null;
}

/** One request, as its sender remembers it. */
export interface LoggedCall extends Wish {
  readonly requestId: string;
  readonly body: object | null;
  /** What had been answered with 200 for this member when this was sent. */
  readonly rewardsBefore: number;
  readonly isIssuedBefore: boolean;
  /** Null while there is none, and for ever where the connection broke before the answer was complete. */
  reply: Reply | null;
}

const request = ({ operation, member, receipt }: Wish): { readonly line: string; readonly body: object | null } => {
  const query = `unique_id=${member}`;
  switch (operation) {
    case 'issue': {
      const passdata = { points: firstPoints, metaData: { memberId: member } };
      return { line: `POST ${programPath}/issue-wallet`, body: { passdata, person: { firstName: member } } };
    }
    case 'transaction': {
      const body = { amount: 5.99, transactionDate: '2026-11-21T09:15:04.000Z', attributes: { receipt } };
      return { line: `POST ${programPath}/transaction-types/31/transactions?${query}`, body };
    }
    case 'reward':
      return { line: `POST ${programPath}/rewards/9001/wallet-pass?${query}`, body: null };
    case 'lookup':
      return { line: `GET ${programPath}/wallets?${query}`, body: null };
    default:
      return operation satisfies never;
  }
};

/** Members and shops of several lives of a sandbox: sends requests and keeps a log of all of them. */
export class KillTraffic {
  readonly calls: LoggedCall[] = [];
  private readonly rewards = new Map<string, number>();
  private readonly issued = new Set<string>();
  private readonly members: string[] = [];
  private readonly receipts: string[] = [];
  private draws = 0;

  constructor(private readonly seed: number) {}

  /** Whole numbers from 0 to `count - 1`, the same ones for the same seed. */
  draw(count: number): number {
    this.draws += 1;
    return Math.floor(chanceAt(this.seed, { ruleIndex: 0, ordinal: this.draws }) * count);
  }

  /** Sends one request. Throws when no complete answer came. */
  async call(client: SandboxClient, wish: Wish): Promise<Reply> {
    const { line, body } = request(wish);
    const { member, operation } = wish;
    const call: LoggedCall = {
      ...wish,
      body,
      requestId: `call-${this.calls.length}`,
      rewardsBefore: this.rewards.get(member) ?? 0,
      isIssuedBefore: this.issued.has(member),
      reply: null,
    };
    this.calls.push(call);
    const reply = await client.send(line, body ?? undefined, { 'x-request-id': call.requestId });
    call.reply = reply;
    if (reply.status === 200 && operation === 'issue') this.issued.add(member);
    if (reply.status === 200 && operation === 'reward') this.rewards.set(member, (this.rewards.get(member) ?? 0) + 1);
    return reply;
  }

  /** One shop's requests, one after the other, until the sandbox is gone. */
  async shop(client: SandboxClient, onSent: () => void): Promise<void> {
    for (;;) {
      const pending = this.call(client, this.wish());
      onSent();
      const reply = await pending.catch(() => null);
      if (reply === null) return;
    }
  }

  private wish(): Wish {
    const dice = this.draw(100);
    const member = dice < 15 ? undefined : this.pick(this.members);
    if (member === undefined) return this.newMember();
    if (dice < 20) return { operation: 'issue', member, receipt: null };
    if (dice < 60) return { operation: 'transaction', member, receipt: this.newReceipt() };
    if (dice < 68) return { operation: 'transaction', member, receipt: this.pick(this.receipts) ?? this.newReceipt() };
    if (dice < 88) return { operation: 'reward', member, receipt: null };
    return { operation: 'lookup', member, receipt: null };
  }

  private newMember(): Wish {
    const member = `m_${this.members.length}`;
    this.members.push(member);
    return { operation: 'issue', member, receipt: null };
  }

  private newReceipt(): string {
    const receipt = `r-${this.receipts.length}`;
    this.receipts.push(receipt);
    return receipt;
  }

  private pick(values: readonly string[]): string | undefined {
    return values[this.draw(values.length)];
  }
}

/** A process of test support. */
interface Killable {
  readonly exited: Promise<unknown>;
  kill(signal: 'SIGKILL'): void;
}

/** Tables that the writer fills late: whoever waits for one has already written others. */
type LateTable = 'unique_value' | 'ledger';

/** Wherever it happens to be. */
export const killLater = async (running: Killable, delayMs: number): Promise<void> => {
  await delay(delayMs);
  running.kill('SIGKILL');
  await running.exited;
};

/** Holds the writer in the middle of a batch, kills the process there, and lets go. */
export const killWhileWriting = async (running: Killable, databaseUrl: string, table: LateTable): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE wallet_sandbox.${table} IN SHARE MODE`);
    const isHeld = async (): Promise<boolean> => {
      const { rowCount } = await client.query('SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted', [
        `wallet_sandbox.${table}`,
      ]);
      return rowCount === 1;
    };
    await waitUntil(isHeld, { what: `a writer that waits for ${table}`, timeoutMs: 30_000 });
    running.kill('SIGKILL');
    await running.exited;
  } finally {
    await client.end();
  }
};

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
