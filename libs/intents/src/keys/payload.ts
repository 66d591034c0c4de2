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

/** A record as it arrived, as text. */
export interface SourceRecordText {
  /** JSON text. */
  readonly headers: string;
  readonly value: string;
}

/**
 * The source event as the payload keeps it. The trace's context comes last, and only where there is one: `traceparentOf`
 * finds it by its place, so that an intent without it costs nothing.
 */
export function sourceEventText(record: SourceRecordText & { readonly traceparent: string | null }): string {
  const { headers, value, traceparent } = record;
  return JSON.stringify(traceparent === null ? { headers, value } : { headers, value, traceparent });
}

const traceMark = ',"traceparent":"';
const traceEnd = '"}';
/** W3C Trace Context, section 3.2: all versions so far. */
const traceparentLength = 55;

/** Within a JSON text every quote is escaped: what a producer wrote cannot look like the mark. */
function traceparentOf(text: string): string | null {
  const from = text.length - traceEnd.length - traceparentLength;
  return text.startsWith(traceMark, from - traceMark.length) ? text.slice(from, -traceEnd.length) : null;
}

/** Only the command: whoever delivers needs little else. `null` for an intent that was born parked. */
export function openPayload(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return commandIn(keys.openFor(place, sealed));
}

function commandIn(text: string): PartnerCommand | null {
  return JSON.parse(text.slice(0, text.indexOf(separator))) as PartnerCommand | null;
}

/** The command, and the W3C context of the trace that the intent belongs to; nothing of the source event is read. */
export function openTracedPayload(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): { readonly command: PartnerCommand | null; readonly traceparent: string | null } {
  const text = keys.openFor(place, sealed);
  return { command: commandIn(text), traceparent: traceparentOf(text) };
}

/** The command of an `IntentCorrected`, which replaces the recorded one. */
export function openCorrection(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): PartnerCommand | null {
  return (JSON.parse(keys.openFor(place, sealed)) as { readonly command: PartnerCommand | null }).command;
}

/** Everything: the command, the trace's context, and the record as it arrived. */
export function openWhole(
  keys: MemberKeys,
  place: SealingPlace,
  sealed: Uint8Array,
): {
  readonly command: PartnerCommand | null;
  readonly traceparent: string | null;
  readonly sourceRecord: SourceRecordText;
} {
  const text = keys.openFor(place, sealed);
  return { command: commandIn(text), traceparent: traceparentOf(text), sourceRecord: sourceRecordIn(text) };
}

/** The source event, for the timeline. */
export function openSourceEvent(keys: MemberKeys, place: SealingPlace, sealed: Uint8Array): SourceRecordText {
  return sourceRecordIn(keys.openFor(place, sealed));
}

function sourceRecordIn(text: string): SourceRecordText {
  const { headers, value } = JSON.parse(text.slice(text.indexOf(separator) + separator.length)) as SourceRecordText;
  return { headers, value };
}
