import type { Owed } from '../traffic/emission.js';
import { runSql } from './run-sql.js';

/**
 * A second opinion, made of nothing but what the tills know, what the partner's ledger holds and how each intent ended:
 * what was acknowledged must be there once, unless a person has to look or somebody cancelled it.
 */
export interface AuditReport {
  /** Enrolments, purchases and refunds that the broker acknowledged. */
  readonly owed: number;
  readonly found: number;
  /** Not there, and a person knows: parked, or cancelled. */
  readonly excused: Readonly<Record<string, number>>;
  /** Not there, and nobody knows. */
  readonly lost: readonly Owed[];
  /** There more than once, by operation; what the partner itself did twice for one request is not ours. */
  readonly duplicates: Readonly<Record<string, number>>;
  readonly partnerTwice: number;
  /** Effects that nobody asked for. */
  readonly foreign: number;
  readonly effects: number;
}

interface Entry {
  readonly operation: string;
  readonly uniqueId: string | null;
  readonly key: string | null;
  readonly requestId: string;
  readonly amount: string | null;
  readonly program: string | null;
  readonly targetId: string | null;
}

interface End {
  readonly operation: string;
  readonly memberId: string;
  readonly purchaseId: string | null;
  readonly minor: string | null;
  readonly end: string;
}

const entriesText = `SELECT operation, unique_id AS "uniqueId", key, request_id AS "requestId", body->>'amount' AS amount,
  program_id AS program, target_id AS "targetId" FROM wallet_sandbox.ledger ORDER BY seq`;

const endsText = `SELECT i.operation, m.member_id AS "memberId", i.purchase_id AS "purchaseId", i.amount_minor AS minor,
  concat_ws(' ', e.type, e.data->>'reason') AS end
  FROM intent i JOIN member m USING (lane_id) LEFT JOIN LATERAL (
    SELECT type, data FROM intent_event e WHERE e.lane_id = i.lane_id AND e.seq = i.seq
      AND type NOT IN ('LateOutcome', 'PassFound', 'PassAbsent') ORDER BY version DESC LIMIT 1) e ON true
  WHERE e.type IN ('IntentParked', 'IntentCancelled')`;

/** What no two things owed share. */
function nameOf({ operation, memberId, key, minor }: Owed): string {
  return operation === 'transaction' ? (key ?? `${memberId} ${minor ?? 0}`) : `${operation} ${memberId}`;
}

function nameOfEntry({ operation, uniqueId, key, amount }: Entry): string {
  if (operation !== 'transaction') return `${operation} ${uniqueId ?? ''}`;
  return key ?? `${uniqueId ?? ''} ${Math.round(Number(amount) * 100)}`;
}

function nameOfEnd({ operation, memberId, minor }: End): string {
  return operation === 'transaction' ? `${memberId} ${minor ?? 0}` : `${operation} ${memberId}`;
}

function byAmount({ operation, memberId, minor, ...rest }: Owed): string {
  return operation === 'transaction' ? `${memberId} ${minor ?? 0}` : nameOf({ operation, memberId, minor, ...rest });
}

function countBy<Item>(items: readonly Item[], name: (item: Item) => string): Record<string, number> {
  const groups = Map.groupBy(items, name);
  return Object.fromEntries([...groups].map(([key, group]) => [key, group.length]));
}

/** The same request applied again by the partner itself is one effect of ours. */
function onceEach(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ operation, requestId }) => {
    const name = `${operation} ${requestId}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

export async function audit(
  owed: readonly Owed[],
  urls: { readonly truth: string; readonly wallet: string },
): Promise<AuditReport> {
  const entries = await runSql<Entry>(urls.wallet, entriesText);
  const ends = await runSql<End>(urls.truth, endsText);
  const ours = onceEach(entries);
  const known = ours.filter(({ operation }) => operation !== 'reward' && operation !== 'update-via-workflow');
  const effects = Map.groupBy(known, nameOfEntry);
  const excuses = new Map(ends.map((end) => [nameOfEnd(end), end.end]));
  const missing = owed.filter((item) => !effects.has(nameOf(item)));
  const excused = missing.filter((item) => excuses.has(byAmount(item)));
  const owedNames = new Set(owed.map(nameOf));
  const twice = [...effects.values()].flatMap((group) => group.slice(1));
  return {
    owed: owed.length,
    found: owed.length - missing.length,
    excused: countBy(excused, (item) => excuses.get(byAmount(item)) ?? ''),
    lost: missing.filter((item) => !excuses.has(byAmount(item))),
    duplicates: countBy(twice, ({ operation }) => operation),
    partnerTwice: entries.length - ours.length,
    foreign: [...effects.keys()].filter((name) => !owedNames.has(name)).length,
    effects: entries.length,
  };
}
