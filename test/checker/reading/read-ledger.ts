import type { Effect } from '../history.js';
import { transactionContent } from './member-seals.js';

/** Entries held at once; a larger ledger is read several times, a share of the members each time. */
const entriesMax = 250_000;
const pageSize = 10_000;

interface LedgerItem {
  readonly seq: number;
  readonly operation: string;
  readonly brandId: string;
  readonly programId: string | null;
  readonly uniqueId: string | null;
  readonly passId: number | null;
  readonly targetId: string | null;
  readonly key: string | null;
  readonly requestId: string;
  readonly arrivedAt: string;
  readonly appliedAt: string;
  readonly body: unknown;
}

/** The partner's programs by brand and program id. */
export type ProgramNames = ReadonlyMap<string, string>;

export function programName(brandId: string, programId: string): string {
  return `${brandId}/${programId}`;
}

/** Which share of the members is looked at. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

export function isInShare(memberId: string, { index, of }: Share): boolean {
  let sum = 0;
  for (const char of memberId) sum = (Math.imul(sum, 31) + (char.codePointAt(0) ?? 0)) >>> 0;
  return sum % of === index;
}

export interface SandboxControl {
  /** Base of the sandbox's own addresses, such as `http://127.0.0.1:4010`. */
  readonly sandboxUrl: string;
  /** As `SANDBOX_CONTROL_KEY`; absent where we are on its loopback. */
  readonly sandboxKey?: string;
}

/**
 * The effects of a share of the members, by member, in ledger order; null when they are too many to be held.
 * Only what we ask for: entries of administration are left out.
 */
export async function readLedger(
  sandbox: SandboxControl,
  programs: ProgramNames,
  share: Share,
): Promise<Map<string, Effect[]> | null> {
  const byMember = new Map<string, Effect[]>();
  let count = 0;
  for await (const item of ledgerItems(sandbox)) {
    const effect = effectOf(item, programs);
    if (effect === null || !isInShare(effect.uniqueId ?? '', share)) continue;
    count += 1;
    if (count > entriesMax) return null;
    const name = memberName(effect.program, effect.uniqueId ?? '');
    const own = byMember.get(name) ?? [];
    own.push(effect);
    byMember.set(name, own);
  }
  return byMember;
}

export function memberName(program: string, memberId: string): string {
  return JSON.stringify([program, memberId]);
}

async function* ledgerItems({ sandboxUrl, sandboxKey }: SandboxControl): AsyncGenerator<LedgerItem> {
  const headers: Record<string, string> = sandboxKey === undefined ? {} : { authorization: `Bearer ${sandboxKey}` };
  for (let after: number | null = 0; after !== null;) {
    const response: Response = await fetch(`${sandboxUrl}/__ledger?after=${after}&limit=${pageSize}`, { headers });
    if (!response.ok) throw new Error(`the ledger answers ${response.status}`);
    const page = (await response.json()) as { readonly items: LedgerItem[]; readonly nextAfter: number | null };
    yield* page.items;
    after = page.nextAfter;
  }
}

function effectOf(item: LedgerItem, programs: ProgramNames): Effect | null {
  const { seq, operation, brandId, programId, uniqueId, passId, key, targetId, requestId } = item;
  const program = programs.get(programName(brandId, programId ?? ''));
  if (program === undefined || uniqueId === null) return null;
  return {
    ...{ seq, operation, program, uniqueId, passId, key, requestId },
    target: targetId,
    content:
      operation === 'transaction' ? transactionContent(item.body as Parameters<typeof transactionContent>[0]) : null,
    arrivedAt: Date.parse(item.arrivedAt),
    appliedAt: Date.parse(item.appliedAt),
  };
}
