import type { PartnerCommand } from '#domain';
import { SealBrokenError } from '#platform';

import type { MemberKeys, SealingPlace } from '../keys/member-keys.js';
import { openCorrection, openTracedPayload } from '../keys/payload.js';
import type { ClaimedIntent } from './claimed-lane.js';

/** What is stored of an intent's content. */
export interface SealedContent {
  readonly laneId: number;
  readonly seq: number;
  readonly wrappedKey: Buffer | null;
  /** Null for what an erasure covers. */
  readonly payload: Buffer | null;
  /** The newest correction, which replaces the recorded command. */
  readonly correction: Buffer | null;
}

type OpenedContent = Pick<ClaimedIntent, 'command' | 'traceparent'>;

/** The command as it is now, and the trace that the intent was recorded in. @throws {SealBrokenError} */
export function openClaimed(content: SealedContent, keys: MemberKeys): OpenedContent {
  const { laneId, seq, wrappedKey, payload, correction } = content;
  if (wrappedKey === null || payload === null) return { command: null };
  const place = { laneId, seq, key: keys.learn(laneId, wrappedKey) };
  if (correction === null) return withTrace(openTracedPayload(keys, place, payload));
  const command = openCorrection(keys, place, correction);
  return withTrace({ command, traceparent: recordedTrace(keys, place, payload) });
}

function withTrace(opened: {
  readonly command: PartnerCommand | null;
  readonly traceparent: string | null;
}): OpenedContent {
  const { command, traceparent } = opened;
  return traceparent === null ? { command } : { command, traceparent };
}

/** A corrected intent needs nothing of what was recorded: damaged bytes there cost it the trace only. */
function recordedTrace(keys: MemberKeys, place: SealingPlace, payload: Buffer): string | null {
  try {
    return openTracedPayload(keys, place, payload).traceparent;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
