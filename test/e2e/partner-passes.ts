import { partnerHeaders } from './partner-headers.js';
import { queryOnce } from './store.js';

/** Calls at once while passes are issued. */
const callsMax = 24;

/** Passes that somebody else has issued for these members, in their order. */
export async function issueAtPartner(sandboxUrl: string, memberIds: readonly string[]): Promise<void> {
  const headers = await partnerHeaders(sandboxUrl);
  const url = `${sandboxUrl}/brands/101/programs/2001/issue-wallet`;
  const left = [...memberIds].reverse();
  const issueNext = async (): Promise<void> => {
    for (let memberId = left.pop(); memberId !== undefined; memberId = left.pop()) {
      const body = JSON.stringify({ person: { firstName: 'Ada' }, passdata: { points: 5, metaData: { memberId } } });
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

/** The partner has a second pass for each of these members. */
export async function doublePasses(sandboxDatabaseUrl: string, memberIds: readonly string[]): Promise<void> {
  await queryOnce(
    sandboxDatabaseUrl,
    `INSERT INTO wallet_sandbox.pass
     SELECT (p).* FROM (
       SELECT jsonb_populate_record(q, jsonb_build_object('pass_id', q.pass_id + 1000000, 'serial_number',
         q.serial_number || '-2')) AS p
       FROM wallet_sandbox.pass q WHERE unique_id IN (${listOf(memberIds)})) doubled`,
  );
}
