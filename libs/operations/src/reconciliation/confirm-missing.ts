import type { Program } from '#contracts';
import type { PassReference } from '#domain';
import type { CallFailure, LookupReport } from '#gateway';
import type { UnseenMember } from '#intents';
import { loadCommands } from '#intents';

import type { PartnerReaderTools } from '../partner-reading/partner-reader.js';
import { lookupTimeoutMs } from '../partner-reading/reading-limits.js';
import { isPassing } from '../partner-reading/troubles.js';

/** What looking a member's pass up has shown. */
export type Confirmation =
  /** It is there after all. */
  | { readonly kind: 'listed-late' }
  /** A lookup says that there is none. `evidence`: that, and a count of none, where a repair needs both; personal. */
  | { readonly kind: 'missing'; readonly evidence: string | null }
  /** The partner gave an answer that proves nothing. */
  | { readonly kind: 'unconfirmed'; readonly code: string }
  | { readonly kind: 'trouble'; readonly failure: CallFailure };

export interface MissingPass {
  readonly program: Program;
  readonly member: UnseenMember;
  /** Whether absence is to be proved twice (design.md section 6). */
  readonly isForRepair: boolean;
}

const options = { timeoutMs: lookupTimeoutMs };

/** Asks the partner for a pass that the listing did not show. */
export async function confirmMissing(tools: PartnerReaderTools, missing: MissingPass): Promise<Confirmation> {
  const reference = await referenceOf(tools, missing);
  const report = await tools.partner.findPass(reference, options);
  if (report.kind === 'found') return { kind: 'listed-late' };
  if (report.kind === 'failed') return failed(report);
  return missing.isForRepair ? count(tools, reference, report) : { kind: 'missing', evidence: null };
}

function failed(failure: CallFailure): Confirmation {
  return isPassing(failure) ? { kind: 'trouble', failure } : { kind: 'unconfirmed', code: failure.code };
}

async function count(
  { partner }: PartnerReaderTools,
  { brandId, programId, uniqueId }: PassReference,
  { evidence: lookup }: Extract<LookupReport, { kind: 'absent' }>,
): Promise<Confirmation> {
  const counted = await partner.countPasses({ brandId, programId, uniqueId }, options);
  if (counted.kind === 'failed') return failed(counted);
  const { totalCount: listed } = counted;
  if (listed > 0) return { kind: 'unconfirmed', code: 'counted' };
  return { kind: 'missing', evidence: JSON.stringify({ lookup, listed }) };
}

/** By unique_id; where the program's passes are looked up otherwise, as the member's enrolment says. */
async function referenceOf(
  { database, keys }: PartnerReaderTools,
  { program, member }: MissingPass,
): Promise<PassReference> {
  const { brandId, programId, uniqueIdKey, lookup } = program;
  const { laneId, memberId: uniqueId, enrolmentSeq: seq } = member;
  const reference = { brandId, programId, uniqueId, uniqueIdKey };
  if (lookup.by === 'unique_id' || seq === null) return reference;
  const [loaded] = await loadCommands(database, [{ laneId, seq }], keys);
  const by = loaded?.current.kind === 'command' ? loaded.current.command.by : undefined;
  return by === undefined ? reference : { ...reference, by };
}
