import type { PartnerCommand } from '#domain';

import type { MemberKeys, SealingPlace } from './member-keys.js';

/** Separates the command from the source event: JSON.stringify never writes a bare line feed. */
const separator = '\n';

/** The sealed payload of an intent: the frozen partner command, then the source event as it arrived. */
export function sealPayload(
  keys: MemberKeys,
  place: SealingPlace,
  parts: { readonly command: string; readonly sourceEvent: string },
): Buffer {
  return keys.sealFor(place, `${parts.command}${separator}${parts.sourceEvent}`);
}

/** Only the command: delivery needs nothing else. `null` for an intent that was born parked. */
export function openPayload(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  const text = keys.openFor(place, sealed);
  return JSON.parse(text.slice(0, text.indexOf(separator))) as PartnerCommand | null;
}

/** The source event, for the timeline. */
export function openSourceEvent(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): unknown {
  const text = keys.openFor(place, sealed);
  return JSON.parse(text.slice(text.indexOf(separator) + separator.length)) as unknown;
}

/** The command of an `IntentCorrected`, which replaces the recorded one. */
export function openCorrection(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return (JSON.parse(keys.openFor(place, sealed)) as { readonly command: PartnerCommand | null }).command;
}

/** Both: the command, and the record as it arrived (headers as JSON text, value as text). */
export function openWhole(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): {
  readonly command: PartnerCommand | null;
  readonly sourceRecord: { readonly headers: string; readonly value: string };
} {
  const text = keys.openFor(place, sealed);
  const end = text.indexOf(separator);
  return {
    command: JSON.parse(text.slice(0, end)) as PartnerCommand | null,
    sourceRecord: JSON.parse(text.slice(end + separator.length)) as { headers: string; value: string },
  };
}
