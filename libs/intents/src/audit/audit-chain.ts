import type { AuditLink, AuditStray } from '#contracts';
import type { Clock, Database, SqlSession, SqlStatement } from '#platform';
import { SafeError } from '#platform';

import type { ChainHead } from './audit-link.js';
import { chainForm, coveredColumns, headText, linkDigest } from './audit-link.js';

/** SQL: the text of each column of an action, the same whatever the server's release and settings. */
const columnTexts: Readonly<Record<string, string>> = {
  action_id: 'a.action_id::text',
  at: `to_json(a.at AT TIME ZONE 'UTC') #>> '{}'`,
  actor: 'a.actor',
  address: 'a.address',
  action: 'a.action',
  reason: 'a.reason',
  lane_id: 'a.lane_id::text',
  seq: 'a.seq::text',
  detail: 'a.detail::text',
  subject: 'a.subject',
  request_id: 'a.request_id',
};

const columns = Object.keys(columnTexts);
const actionTexts = `ARRAY[${Object.values(columnTexts).join(', ')}]`;

type Texts = readonly (string | null)[];

/** What a form covers of an action. */
function coveredRow(form: number, texts: Texts): NonNullable<AuditLink['row']> {
  const known = coveredColumns(form);
  const shown = known.length === 0 ? columns : known;
  return Object.fromEntries(shown.map((column) => [column, texts[columns.indexOf(column)] ?? null]));
}

/** Actions that are counted as waiting. */
const waitingMax = 1_000;

const chainStateStatement: SqlStatement = {
  name: 'audit_chain_state',
  text: `
SELECT h.no, encode(h.digest, 'hex') AS digest,
  (SELECT count(*)::int FROM (SELECT FROM audit_unchained LIMIT ${waitingMax}) w) AS waiting,
  (SELECT a.at FROM audit_unchained w JOIN operator_action a USING (action_id) ORDER BY action_id LIMIT 1) AS "waitingSince",
  $1::bigint IS NULL OR EXISTS (
    SELECT FROM audit_chain k WHERE k.no = $1::bigint AND k.digest = decode($2, 'hex')) AS "isKnownThere"
FROM (SELECT) one LEFT JOIN (SELECT no, digest FROM audit_chain ORDER BY no DESC LIMIT 1) h ON true`,
};

/** How the chain of the audit stands. */
export interface ChainState {
  /** Null: the chain is gone, its start included. */
  readonly head: ChainHead | null;
  /** Actions that wait for their link; counted up to `waitingMax`. */
  readonly waiting: number;
  /** When the first of them was done; epoch ms. */
  readonly waitingSince: number | null;
  /** The link that was asked for is there, as it was. */
  readonly isKnownThere: boolean;
}

interface ChainStateRow extends Omit<ChainState, 'head'> {
  readonly no: number | null;
  readonly digest: string | null;
}

/** A look that costs next to nothing. @param known a link that must still be there */
export async function readChainState(database: Database, known: ChainHead | null = null): Promise<ChainState> {
  const { rows } = await database.execute<ChainStateRow>(chainStateStatement, [
    known?.no ?? null,
    known?.digest ?? null,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('a statement without a table answered no row');
  const { no, digest, ...state } = row;
  return { ...state, head: no === null || digest === null ? null : { no, digest } };
}

/** Whoever adds links; the others leave it to them. Any fixed number would do. */
const chainLock = 7_226_409_116;
/** Links added in one transaction. */
const linksMax = 500;

const lockStatement: SqlStatement = {
  name: 'lock_audit_chain',
  text: `SELECT pg_try_advisory_xact_lock(${chainLock}) AS "isOurs"`,
};

/** Read behind the lock, in a statement of its own: it sees what the holder before has committed. */
const headStatement: SqlStatement = {
  name: 'audit_chain_head',
  text: `SELECT no, encode(digest, 'hex') AS digest FROM audit_chain ORDER BY no DESC LIMIT 1`,
};

const waitingStatement: SqlStatement = {
  name: 'unchained_actions',
  text: `
SELECT a.action_id::text AS "actionId", ${actionTexts} AS texts
FROM audit_unchained w JOIN operator_action a USING (action_id)
ORDER BY w.action_id LIMIT ${linksMax}`,
};

const addLinksStatement: SqlStatement = {
  name: 'add_audit_links',
  text: `
INSERT INTO audit_chain (no, action_id, form, digest)
SELECT l.no, l.action_id::bigint, ${chainForm}, decode(l.digest, 'hex')
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS l (no, action_id, digest)`,
};

const endWaitStatement: SqlStatement = {
  name: 'end_wait_for_audit_link',
  text: `DELETE FROM audit_unchained WHERE action_id = ANY ($1::bigint[])`,
};

async function addLinks(
  session: SqlSession,
  links: readonly (ChainHead & { readonly actionId: string })[],
): Promise<void> {
  const ids = links.map(({ actionId }) => actionId);
  await session.query(addLinksStatement, [links.map(({ no }) => no), ids, links.map(({ digest }) => digest)]);
  await session.query(endWaitStatement, [ids]);
}

interface ChainedActions {
  readonly head: ChainHead;
  /** More may wait. */
  readonly isFull: boolean;
}

/**
 * Gives the actions that wait their links, by one process at a time, in one transaction.
 * @returns null when another process is at it
 * @throws {SafeError} where the chain has no start
 */
export async function chainActions(database: Database): Promise<ChainedActions | null> {
  return database.transaction('chain_actions', async (session) => {
    const { rows: locks } = await session.query<{ isOurs: boolean }>(lockStatement);
    if (locks[0]?.isOurs !== true) return null;
    const { rows: heads } = await session.query<ChainHead>(headStatement);
    const [last] = heads;
    if (last === undefined) throw new SafeError('the chain of the audit has no start');
    const { rows } = await session.query<{ actionId: string; texts: Texts }>(waitingStatement);
    let head: ChainHead = last;
    const links = rows.map(({ actionId, texts }) => {
      const no = head.no + 1;
      const link = { no, form: chainForm, row: coveredRow(chainForm, texts) };
      head = { no, digest: linkDigest(head.digest, link) };
      return { ...head, actionId };
    });
    if (links.length > 0) await addLinks(session, links);
    return { head, isFull: links.length === linksMax };
  });
}

/**
 * How long an action may wait for its link while a process with the role `operations` runs. After a request to that process that
 * changes something it does not wait.
 */
const chainIntervalMs = 10_000;
/** The head is told so often at most. */
const headIntervalMs = 60_000;

interface ChainKeeperTools {
  readonly database: Database;
  readonly clock: Clock;
  /** The head has moved: to be told where nobody who can write the database can reach it. */
  readonly moved: (head: string) => void;
  /** A link that this process has seen is gone, or another one. */
  readonly changed: (what: { readonly known: string; readonly head: string | null }) => void;
}

/** Chains what is done, and tells the head. */
export class ChainKeeper {
  private known: ChainHead | null = null;
  private told: { readonly digest: string; readonly at: number } | null = null;

  constructor(private readonly tools: ChainKeeperTools) {}

  /** @returns after how many milliseconds to look again. @throws {DatabaseError}, {SafeError} */
  async step(): Promise<number> {
    const { database } = this.tools;
    const { head, waiting, isKnownThere } = await readChainState(database, this.known);
    if (this.known !== null && !isKnownThere) {
      this.tools.changed({ known: headText(this.known), head: head === null ? null : headText(head) });
    }
    this.known = head;
    // Without a start this fails: nothing is chained until a person has looked.
    const chained = head !== null && waiting === 0 ? null : await chainActions(database);
    this.known = chained?.head ?? this.known;
    this.tell(headIntervalMs);
    return chained?.isFull === true ? 0 : chainIntervalMs;
  }

  /** Tells the last head now, where it has moved. */
  tellLast(): void {
    this.tell(0);
  }

  private tell(intervalMs: number): void {
    const { known, told } = this;
    const at = this.tools.clock.monotonic();
    if (known === null || known.digest === told?.digest) return;
    if (told !== null && at - told.at < intervalMs) return;
    this.told = { digest: known.digest, at };
    this.tools.moved(headText(known));
  }
}

/** Up to where a chain was read. */
export interface ChainPlace {
  readonly no: number;
  /** The highest action of the links read so far; null: none. */
  readonly actionId: string | null;
}

/** Before link 0. */
export const chainStart: ChainPlace = { no: -1, actionId: null };

const placeStatement: SqlStatement = {
  name: 'audit_chain_place',
  text: `
SELECT no, action_id::text AS "actionId", encode(digest, 'hex') AS digest FROM audit_chain
WHERE no > 0 AND no <= (SELECT max(no) FROM audit_chain) - $1::bigint
ORDER BY no DESC LIMIT 1`,
};

/** Where the newest so many links begin, with the link before them; null: at the start. */
export async function newestLinks(database: Database, links: number): Promise<(ChainPlace & ChainHead) | null> {
  return (await database.execute<ChainPlace & ChainHead>(placeStatement, [links])).rows[0] ?? null;
}

const linksStatement: SqlStatement = {
  name: 'read_audit_links',
  text: `
SELECT c.no, c.action_id::text AS "actionId", c.form, encode(c.digest, 'hex') AS digest,
  CASE WHEN a.action_id IS NOT NULL THEN ${actionTexts} END AS texts
FROM audit_chain c LEFT JOIN operator_action a ON a.action_id = c.action_id AND c.no > 0
WHERE c.no > $1::bigint ORDER BY c.no LIMIT $2::int`,
};

/** Strays that one reading names. */
const straysMax = 100;
const int8Ends = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** One snapshot: an action that has just committed waits in it, or has its link in it. */
const unlinkedStatement: SqlStatement = {
  name: 'unlinked_actions',
  text: `
SELECT a.action_id::text AS "actionId", 'unlinked' AS what FROM operator_action a
WHERE a.action_id BETWEEN $1::bigint AND $2::bigint
  AND NOT EXISTS (SELECT FROM audit_chain c WHERE c.action_id = a.action_id AND c.no > 0)
  AND NOT EXISTS (SELECT FROM audit_unchained w WHERE w.action_id = a.action_id)
ORDER BY a.action_id LIMIT ${straysMax}`,
};

const missingStatement: SqlStatement = {
  name: 'missing_actions',
  text: `
SELECT w.action_id::text AS "actionId", 'missing' AS what FROM audit_unchained w
WHERE NOT EXISTS (SELECT FROM operator_action a WHERE a.action_id = w.action_id)
ORDER BY w.action_id LIMIT ${straysMax}`,
};

interface ReadLinks {
  readonly links: readonly AuditLink[];
  /** Among the actions up to the last of these links; behind the last link of all: of all that are left. */
  readonly strays: readonly AuditStray[];
  /** Where it goes on; null: that was the end. */
  readonly next: ChainPlace | null;
}

function highest(ids: readonly (string | null)[]): string | null {
  const known = ids.flatMap((id) => (id === null ? [] : BigInt(id)));
  return known.length === 0 ? null : String(known.reduce((one, other) => (other > one ? other : one)));
}

async function readStrays(database: Database, after: ChainPlace, next: ChainPlace | null): Promise<AuditStray[]> {
  if (next !== null && next.actionId === null) return [];
  const from = after.actionId === null ? int8Ends.min : BigInt(after.actionId) + 1n;
  const range = [String(from), next?.actionId ?? String(int8Ends.max)];
  const { rows: unlinked } = await database.execute<AuditStray>(unlinkedStatement, range);
  if (next !== null) return unlinked;
  return [...unlinked, ...(await database.execute<AuditStray>(missingStatement)).rows];
}

/** The next links behind a place, with the actions that they cover. */
export async function readChain(database: Database, after: ChainPlace, limit: number): Promise<ReadLinks> {
  type Row = Omit<AuditLink, 'row'> & { readonly texts: Texts | null };
  const { rows } = await database.execute<Row>(linksStatement, [after.no, limit]);
  const links = rows.map(({ texts, ...link }) => ({
    ...link,
    row: texts === null ? null : coveredRow(link.form, texts),
  }));
  const ids = links.flatMap(({ no, actionId }) => (no > 0 ? actionId : []));
  const last = links.length < limit ? undefined : links.at(-1);
  const next = last === undefined ? null : { no: last.no, actionId: highest([after.actionId, ...ids]) };
  return { links, strays: await readStrays(database, after, next), next };
}
