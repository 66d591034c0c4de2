import { waitUntil } from '#embedded';
import { queryOnce } from '#test-support';

import { otherSystems } from '#shop';

/** Headers of a caller whom the partner knows. */
async function partnerHeaders(sandboxUrl: string): Promise<Record<string, string>> {
  const form = { grant_type: 'client_credentials', client_id: 'sandbox', client_secret: 'sandbox', scope: 'admin' };
  const login = await fetch(`${sandboxUrl}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  return { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
}

/** One applied effect, as the sandbox's own ledger shows it (contracts.md section 9). */
export interface LedgerEntry {
  readonly seq: number;
  readonly operation: string;
  readonly uniqueId: string | null;
  /** The workflow, transaction type or reward. */
  readonly targetId: string | null;
  readonly body: unknown;
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

const effectsMsMax = 120_000;

/** Resolves when the sandbox has applied so many effects: their numbers have no gaps, so that one is enough to be read. */
export async function awaitEffects(sandboxUrl: string, count: number): Promise<void> {
  const areThere = async (): Promise<boolean> => {
    const response = await fetch(`${sandboxUrl}/__ledger?after=${count - 1}&limit=1`);
    return ((await response.json()) as { items: LedgerEntry[] }).items.length > 0;
  };
  await waitUntil(areThere, { what: `${count} effects at the partner`, timeoutMs: effectsMsMax });
}

/** What the sandbox does wrong from now on; no rules: nothing. @param seed of its chance */
export async function breakPartner(sandboxUrl: string, rules: readonly object[], seed = 1): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/__faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ seed, rules }),
  });
  if (!answer.ok) throw new Error(`the sandbox refuses these faults: ${await answer.text()}`);
}

/** What the partner's people do in the end: the attribute that our transactions of a type carry is created. */
export async function createAttribute(sandboxUrl: string, transactionType: number, name: string): Promise<void> {
  const headers = await partnerHeaders(sandboxUrl);
  const url = `${sandboxUrl}/brands/101/programs/2001/transaction-types/${transactionType}/attributes`;
  const created = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }) });
  if (!created.ok) throw new Error(`the attribute was not created: ${created.status} ${await created.text()}`);
}

/** Calls at once while passes are issued. */
const callsMax = 24;

/** Passes that somebody else has issued for these members, in their order. */
export async function issueAtPartner(sandboxUrl: string, memberIds: readonly string[]): Promise<void> {
  const known = await partnerHeaders(sandboxUrl);
  const url = `${sandboxUrl}/brands/101/programs/2001/issue-wallet`;
  const left = [...memberIds].reverse();
  const issueNext = async (): Promise<void> => {
    for (let memberId = left.pop(); memberId !== undefined; memberId = left.pop()) {
      const body = JSON.stringify({ person: { firstName: 'Ada' }, passdata: { points: 5, metaData: { memberId } } });
      const headers = { ...known, 'x-request-id': `${otherSystems}${memberId}` };
      const answer = await fetch(url, { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(`no pass for ${memberId}: ${answer.status} ${await answer.text()}`);
    }
  };
  await Promise.all(Array.from({ length: callsMax }, issueNext));
}

function listOf(memberIds: readonly string[]): string {
  return memberIds.map((memberId) => `'${memberId}'`).join(', ');
}

/** The partner loses passes. */
export async function losePasses(sandboxDatabaseUrl: string, memberIds: readonly string[]): Promise<void> {
  const text = `DELETE FROM wallet_sandbox.pass WHERE unique_id IN (${listOf(memberIds)})`;
  await queryOnce(sandboxDatabaseUrl, text);
}

/** Somebody at the partner changes passes. */
export async function changePasses(sandboxDatabaseUrl: string, memberIds: readonly string[]): Promise<void> {
  await queryOnce(
    sandboxDatabaseUrl,
    `UPDATE wallet_sandbox.pass SET passdata = passdata || '{"points": 4711}' WHERE unique_id IN (${listOf(memberIds)})`,
  );
}

/** The partner has a second pass for each of these members. @returns their ids */
export async function doublePasses(sandboxDatabaseUrl: string, memberIds: readonly string[]): Promise<string[]> {
  const made = await queryOnce<{ id: string }>(
    sandboxDatabaseUrl,
    `INSERT INTO wallet_sandbox.pass
     SELECT (p).* FROM (
       SELECT jsonb_populate_record(q, jsonb_build_object('pass_id', q.pass_id + 1000000, 'serial_number',
         q.serial_number || '-2')) AS p
       FROM wallet_sandbox.pass q WHERE unique_id IN (${listOf(memberIds)})) doubled
     RETURNING pass_id::text AS id`,
  );
  return made.map(({ id }) => id);
}
