import { waitUntil } from '#embedded';
import { kafkaClient, queryOnce } from '#test-support';

import type { Injection } from '../rounds.js';
import type { SoakHarness } from '../soak-harness.js';
import { groupId } from '../soak-harness.js';

/** What processes leave behind when they have all been told to stop; each should be 0. */
export type Leftovers = Readonly<Record<string, number>>;

const closedMsMax = 20_000;

const connectionsText = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE application_name LIKE 'loyaltyd%' AND pid <> pg_backend_pid()`;

const leasesText = `SELECT
  (SELECT count(*)::int FROM lane WHERE owner IS NOT NULL) AS "lanes leased",
  (SELECT count(*)::int FROM lane WHERE attempt_open) AS "attempts open",
  (SELECT count(*)::int FROM projection_checkpoint WHERE owner IS NOT NULL) AS "checkpoints leased",
  (SELECT count(*)::int FROM replica) AS replicas,
  (SELECT count(*)::int FROM daemon_process) AS processes`;

/** Of the daemons, to Postgres. */
export async function connectionsOf({ postgres }: SoakHarness): Promise<number> {
  const [row] = await queryOnce<{ count: number }>(postgres.url, connectionsText);
  return row?.count ?? NaN;
}

async function groupMembers({ broker }: SoakHarness): Promise<number> {
  const admin = kafkaClient(broker).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([groupId]);
    return groups.reduce((sum, { members }) => sum + members.length, 0);
  } finally {
    await admin.disconnect();
  }
}

/** To be asked when every daemon has ended. */
export async function leftovers(harness: SoakHarness): Promise<Leftovers> {
  // A backend notices a moment later that its client is gone.
  const isClosed = async (): Promise<boolean> => (await connectionsOf(harness)) === 0;
  await waitUntil(isClosed, { what: 'connections to close', timeoutMs: closedMsMax }).catch(() => undefined);
  const [leases] = await queryOnce<Record<string, number>>(harness.postgres.url, leasesText);
  return {
    'connections to Postgres': await connectionsOf(harness),
    ...leases,
    'members of the consumer group': await groupMembers(harness),
  };
}

/** What went wrong although nobody had brought it about. */
export interface NotInjected {
  /** Attempts of unknown outcome while the partner was well. */
  readonly unknowns: readonly string[];
  /** `reason operation program`, and how often. */
  readonly parked: Readonly<Record<string, number>>;
}

/** The default of `WALLET_TIMEOUT_MS`: a call that was begun in bad times may be heard of later. */
const callMsMax = 10_000;
/** The daemons' clock follows the database's, ours does not. */
const toleranceMs = 250;

/** Tills bring these about, whatever the partner does. */
export const parkedByTraffic: readonly string[] = [
  'missing-pass',
  'not-a-member',
  'missing-purchase',
  'over-refund',
  'conflict',
  'unroutable',
];

interface Unknown {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly code: string;
  readonly operation: string;
}

interface Parked {
  readonly reason: string;
  readonly operation: string;
  readonly program: string;
  /** The member left the program before the enrolment was sent, and has no pass that could be told. */
  readonly hasLeft: boolean;
  /** What the partner refused it for, last; null where it did not. */
  readonly code: string | null;
}

const unknownsText = `SELECT (extract(epoch FROM e.at) * 1000)::float8 AS at, e.data->>'code' AS code, i.operation
  FROM intent_history e JOIN intent i USING (lane_id, seq) WHERE e.type = 'AttemptUnknown' ORDER BY e.at`;

const parkedText = `SELECT e.data->>'reason' AS reason, i.operation, l.program_id AS program, EXISTS (
    SELECT FROM intent_history c JOIN intent o USING (lane_id, seq) WHERE c.lane_id = e.lane_id AND o.operation LIKE 'issue%'
      AND c.type = 'IntentCancelled' AND c.data->>'reason' = 'opted-out') AS "hasLeft",
    (SELECT r.data->>'code' FROM intent_history r WHERE (r.lane_id, r.seq) = (e.lane_id, e.seq) AND r.type = 'AttemptRejected'
      ORDER BY r.version DESC LIMIT 1) AS code
  FROM (SELECT DISTINCT ON (lane_id, seq) lane_id, seq, type, data FROM intent_history
    WHERE type NOT IN ('LateOutcome', 'PassFound', 'PassAbsent') ORDER BY lane_id, seq, version DESC) e
  JOIN intent i USING (lane_id, seq) JOIN lane l USING (lane_id) WHERE e.type = 'IntentParked'`;

function isByTraffic({ reason, operation, hasLeft, code }: Parked): boolean {
  if (parkedByTraffic.includes(reason)) return true;
  if (reason !== 'rejected') return false;
  // Another system has posted under the receipt before us. The judge holds each against the partner's ledger.
  const isTaken = operation === 'transaction' && code === 'duplicate';
  return isTaken || (operation === 'update-via-workflow' && hasLeft);
}

/** Holds what is in doubt and what is parked against what was done to the run. */
export function strangersOf(
  { unknowns, parked }: { readonly unknowns: readonly Unknown[]; readonly parked: readonly Parked[] },
  injections: readonly Injection[],
): NotInjected {
  const errors = injections.filter(({ kind }) => kind === 'error');
  const isInjected = (at: number): boolean =>
    errors.some(({ from, to }) => at >= from - toleranceMs && at <= to + callMsMax);
  const isByErrors = ({ reason }: Parked): boolean => errors.length > 0 && reason === 'unknown-outcome';
  const strangers = parked.filter((each) => !isByTraffic(each) && !isByErrors(each));
  const byName = Map.groupBy(strangers, ({ reason, operation, program }) => `${reason} ${operation} ${program}`);
  return {
    unknowns: unknowns
      .filter(({ at }) => !isInjected(at))
      .map(({ at, code, operation }) => `${new Date(at).toISOString()} ${operation} ${code}`),
    parked: Object.fromEntries([...byName].map(([name, group]) => [name, group.length])),
  };
}

/** What is in doubt and what is parked, as the truth tells it. */
export async function notInjected(url: string, injections: readonly Injection[]): Promise<NotInjected> {
  const unknowns = await queryOnce<Unknown>(url, unknownsText);
  const parked = await queryOnce<Parked>(url, parkedText);
  return strangersOf({ unknowns, parked }, injections);
}
