import { isOthers } from '#shop';
import { queryOnce } from '#test-support';

/** One effect at the partner, as its own ledger has it. */
export interface LedgerRow {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string | null;
  readonly passId: string | null;
  /** The value of the unique attribute. */
  readonly key: string | null;
  /** Id in the call's path: of the transaction type, the reward or the workflow. */
  readonly targetId: string | null;
  readonly requestId: string;
  readonly arrivedAtMs: number;
  readonly appliedAtMs: number;
  readonly body: object | null;
}

/** A pass as it is now. */
export interface PassRow {
  readonly brandId: string;
  readonly programId: string;
  readonly passId: string;
  readonly serialNumber: string;
  readonly passdata: object;
  readonly templateId: string | null;
  readonly templateTierId: string | null;
  readonly groupId: string | null;
  readonly currentMessage: string | null;
  readonly smsSubscription: number | null;
  /** Null where the cardholder has passes in several programs: then it is none of a single program's. */
  readonly person: object | null;
}

const passesText = `
SELECT p.brand_id AS "brandId", p.program_id AS "programId", p.pass_id::text AS "passId", p.serial_number AS "serialNumber",
  p.passdata::text AS passdata, p.template_id::text AS "templateId", p.template_tier_id::text AS "templateTierId", p.group_id AS "groupId",
  p.current_message AS "currentMessage", p.sms_subscription AS "smsSubscription", h.attributes::text AS person
FROM wallet_sandbox.pass p LEFT JOIN (
  SELECT person_id FROM wallet_sandbox.pass GROUP BY person_id HAVING count(DISTINCT program_id) = 1) alone USING (person_id)
LEFT JOIN wallet_sandbox.person h ON h.person_id = alone.person_id ORDER BY p.pass_id`;

const ledgerText = `
SELECT seq::float8 AS seq, operation, brand_id AS "brandId", COALESCE(program_id, '') AS "programId", unique_id AS "uniqueId",
  pass_id::text AS "passId", key, target_id AS "targetId", request_id AS "requestId",
  (extract(epoch FROM arrived_at) * 1000)::float8 AS "arrivedAtMs", (extract(epoch FROM applied_at) * 1000)::float8 AS "appliedAtMs",
  body::text AS body
FROM wallet_sandbox.ledger ORDER BY seq`;

/** What a float would change (an id of twenty digits) stays the text it was written with. */
function exactJson(text: string | null): object | null {
  const keepLong = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && (context?.source?.length ?? 0) > 15 ? context?.source : value;
  return text === null ? null : (JSON.parse(text, keepLong) as object);
}

/** The ledger of the sandbox whose database this is, in its order. */
export async function readLedger(url: string): Promise<LedgerRow[]> {
  const rows = await queryOnce<LedgerRow & { body: string | null }>(url, ledgerText);
  return rows.map(({ body, ...row }) => ({ ...row, body: exactJson(body) }));
}

export async function readPasses(url: string): Promise<PassRow[]> {
  const rows = await queryOnce<PassRow & { passdata: string; person: string | null }>(url, passesText);
  return rows.map(({ passdata, person, ...row }) => {
    return { ...row, passdata: exactJson(passdata) ?? {}, person: exactJson(person) };
  });
}

/** What a pass begins with has made it: a workflow that updates issues one where there is none (partner-api.md 4.3). */
export function passesMadeByOthers(ledger: readonly LedgerRow[]): LedgerRow[] {
  const firsts = Map.groupBy(ledger, ({ passId }) => passId);
  return [...firsts].flatMap(([passId, [first]]) => (passId !== null && first && isOthers(first) ? [first] : []));
}
