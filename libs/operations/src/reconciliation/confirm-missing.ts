import type { Program } from '#contracts';
import type { PassReference } from '#domain';
import type { CallFailure, CallOptions, LookupReport } from '#gateway';
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

/** Asks the partner for a pass that the listing did not show. */
export async function confirmMissing(tools: PartnerReaderTools, missing: MissingPass): Promise<Confirmation> {
  const enrolment = await enrolmentOf(tools, missing.member);
  const reference = referenceOf(missing);
  // An enrolment is issued anew as it was: what is missing here says nothing about where it went.
  if (enrolment !== null && !isSamePlace(reference, enrolment)) return { kind: 'unconfirmed', code: 'other-place' };
  const by = otherLookup(missing.program, enrolment);
  const report = await tools.partner.findPass({ ...reference, ...by }, optionsOf(tools));
  if (report.kind === 'found') return { kind: 'listed-late' };
  if (report.kind === 'failed') return failed(report);
  // What the enrolment was looked up by, an email, may have been changed since: absence by it alone proves nothing.
  if (!missing.isForRepair && by === null) return { kind: 'missing', evidence: null };
  return count(tools, reference, report);
}

/** Where the program's passes are not looked up by unique_id: as the member's enrolment says. */
function otherLookup({ lookup }: Program, enrolment: PassReference | null): Pick<Required<PassReference>, 'by'> | null {
  return lookup.by === 'unique_id' || enrolment?.by === undefined ? null : { by: enrolment.by };
}

function isSamePlace(one: PassReference, other: PassReference): boolean {
  const names = ['brandId', 'programId', 'uniqueId', 'uniqueIdKey'] as const;
  return names.every((name) => one[name] === other[name]);
}

function failed(failure: CallFailure): Confirmation {
  return isPassing(failure) ? { kind: 'trouble', failure } : { kind: 'unconfirmed', code: failure.code };
}

function optionsOf({ stopping }: PartnerReaderTools): CallOptions {
  return { timeoutMs: lookupTimeoutMs, signal: stopping };
}

async function count(
  tools: PartnerReaderTools,
  { brandId, programId, uniqueId }: PassReference,
  { evidence: lookup }: Extract<LookupReport, { kind: 'absent' }>,
): Promise<Confirmation> {
  const counted = await tools.partner.countPasses({ brandId, programId, uniqueId }, optionsOf(tools));
  if (counted.kind === 'failed') return failed(counted);
  const { totalCount: listed } = counted;
  if (listed > 0) return { kind: 'unconfirmed', code: 'counted' };
  return { kind: 'missing', evidence: JSON.stringify({ lookup, listed }) };
}

function referenceOf({ program, member: { memberId: uniqueId } }: MissingPass): PassReference {
  const { brandId, programId, uniqueIdKey } = program;
  return { brandId, programId, uniqueId, uniqueIdKey };
}

/** Which pass the member's enrolment was about; null where there is none, or nobody can read it any more. */
async function enrolmentOf(
  { database, keys }: PartnerReaderTools,
  { laneId, enrolmentSeq: seq }: UnseenMember,
): Promise<PassReference | null> {
  if (seq === null) return null;
  const [loaded] = await loadCommands(database, [{ laneId, seq }], keys);
  return loaded?.current.kind === 'command' ? loaded.current.command : null;
}
