import type { Program, SourceEvent } from '#contracts';

import { canonicalJson } from './canonical-json.js';
import type { Mapped } from './event-values.js';
import { isAbsent, isScalar, valueAt } from './event-values.js';
import type { JsonValue } from './partner-command.js';
import type { BusinessKey, CancelRequest, RoutedIntent, Routing } from './route-result.js';

/**
 * Business keys (contracts.md section 1, Identity). The program's `purchaseKey` widens the till's number by what makes
 * it unique; for a refund or a grant its own number stands where `purchaseId` stands.
 */
export function purchaseKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  return tillKey(routing, { scope, ownNumber: 'purchaseId' });
}

/**
 * The key of the purchase that a refund or void means, or that of its own void: as `data.original` names it, with every
 * part, else by the event's own data.
 */
export function originalKeyOf(routing: Routing, scope: 'purchase' | 'void'): Mapped<BusinessKey> {
  const { data } = routing.event;
  const original = 'original' in data ? data.original : null;
  return typeof original === 'object' && original !== null
    ? tillKey(routing, { scope, ownNumber: 'purchaseId', within: ['original'] })
    : purchaseKeyOf(routing, scope);
}

export function refundKeyOf(routing: Routing): Mapped<BusinessKey> {
  return tillKey(routing, { scope: 'refund', ownNumber: 'refundId' });
}

/** A grant's number alone, or what the program's `grantKey` says. */
export function grantKeyOf(routing: Routing, scope: 'grant' | 'revocation'): Mapped<BusinessKey> {
  const { event, program } = routing;
  const found = keyParts(event.data, program.grantKey, 'grantKey');
  if (!found.ok) return found;
  const parts = found.value;
  const formerly = formerGrantParts(routing).filter((former) => canonicalJson(former) !== canonicalJson(parts));
  return { ok: true, value: { scope, parts, perGeneration: false, ...(formerly.length > 0 && { formerly }) } };
}

/**
 * Until `grantKey` there was, a grant's number was widened by whatever `purchaseKey` names and the event carried, empty where it
 * carried nothing. A revocation carries less than its grant as often as not.
 */
function formerGrantParts({ event, program }: Routing): string[][] {
  const widened = program.purchaseKey.map((path) => withOwnNumber(path, 'grantId'));
  const own = widened.map((path) => keyPart(event.data, path) ?? '');
  const bare = own.map((part, index) => (widened[index]?.[0] === 'grantId' ? part : ''));
  const isTold = program.grantKey.length > 1 || bare.every((part, index) => part === own[index]);
  return isTold ? [own] : [own, bare];
}

export function enrolmentKeyOf({ memberId }: Pick<Routing, 'memberId'>): BusinessKey {
  return { scope: 'enrolment', parts: [memberId], perGeneration: true };
}

interface TillKey {
  readonly scope: BusinessKey['scope'];
  readonly ownNumber: string;
  /** Where in the data its parts are; absent: in the data itself. */
  readonly within?: readonly string[];
}

function tillKey({ event, program }: Routing, { scope, ownNumber, within = [] }: TillKey): Mapped<BusinessKey> {
  const paths = program.purchaseKey.map((path) => [...within, ...withOwnNumber(path, ownNumber)]);
  const parts = keyParts(event.data, paths, 'purchaseKey');
  return parts.ok ? { ok: true, value: { scope, parts: parts.value, perGeneration: false } } : parts;
}

/** The value at each path; the first one that is missing is said, with the setting that asks for it. */
function keyParts(data: object, paths: Program['purchaseKey'], setting: 'purchaseKey' | 'grantKey'): Mapped<string[]> {
  const parts: string[] = [];
  for (const path of paths) {
    const part = keyPart(data, path);
    if (part === null) return { ok: false, detail: `data.${path.join('.')}: required by ${setting}` };
    parts.push(part);
  }
  return { ok: true, value: parts };
}

function withOwnNumber(path: readonly string[], ownNumber: string): readonly string[] {
  return path.length === 1 && path[0] === 'purchaseId' ? [ownNumber] : path;
}

function keyPart(data: object, path: readonly string[]): string | null {
  const value = valueAt(data, path);
  return isAbsent(value) || !isScalar(value) ? null : String(value);
}

/**
 * The texts that are hashed into `dedup.key` and `dedup.body_mac` (contracts.md section 1, Identity). Each is a JSON
 * array that begins with its kind, so that no two different identities share a text.
 */

/** An event is (`source`, `id`). */
export function eventKeyText(event: Pick<SourceEvent, 'source' | 'id'>): string {
  return JSON.stringify(['event', event.source, event.id]);
}

/** What must be equal when the same event comes again: its type, subject and data. Holds personal values. */
export function eventContentText(event: Pick<SourceEvent, 'type' | 'subject' | 'sentData'>): string {
  // As the canonical text of the three in a list.
  return `[${canonicalJson(event.type)},${canonicalJson(event.subject)},${sentDataText(event)}]`;
}

let lastText: { readonly of: unknown; readonly text: string } = { of: undefined, text: '' };

/**
 * What must be equal when a business key comes again under a new event id: the data as sent. Kept of the last event: it is
 * asked for once for the key and once for the event itself, and is the dearest text of all.
 */
export function sentDataText({ sentData }: Pick<SourceEvent, 'sentData'>): string {
  if (lastText.of !== sentData) lastText = { of: sentData, text: canonicalJson(sentData as JsonValue) };
  return lastText.text;
}

export interface BusinessIdentity {
  readonly program: string;
  readonly key: BusinessKey;
  /** The member's generation; read only by keys that are `perGeneration`. */
  readonly generation: number;
}

/** A business key, unique per program for ever; an enrolment's also per generation of its member. */
export function businessKeyText({ program, key, generation }: BusinessIdentity): string {
  return JSON.stringify(['business', program, key.scope, key.perGeneration ? generation : null, ...key.parts]);
}

/** The same key as releases before wrote it. */
export function formerKeyTexts(identity: BusinessIdentity): string[] {
  const { key } = identity;
  return (key.formerly ?? []).map((parts) => businessKeyText({ ...identity, key: { ...key, parts } }));
}

/**
 * The intent that carries an event's business key, if it has one: the first, or what is recorded where the event comes too
 * late to cancel. The latter's key is the event's only as soon as it is recorded.
 */
export function keyedIntent(route: {
  readonly intents: readonly RoutedIntent[];
  readonly cancels: readonly CancelRequest[];
}): RoutedIntent | null {
  return route.intents[0] ?? route.cancels[0]?.ifTooLate ?? null;
}
