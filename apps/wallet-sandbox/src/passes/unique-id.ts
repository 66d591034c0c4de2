import { tooLongForIndex } from '../contract/field-schemas.js';
import type { PassContent } from '../contract/wallet-pass.js';
import type { Wording } from '../contract/wordings.js';
import { refuse } from '../http/refusal.js';
import { numberText } from '../store/exact-json.js';
import type { Program, UniqueIdentifier } from '../seed/catalogue.js';
import { ownValue } from './meta-data.js';
import type { JsonRecord, Pass, PassHandle } from './pass.js';

/** A pass by the value of its brand's unique identifier, which need not be what `unique_id` asks for. */
export function handleOf({ uniqueIdentifier }: Program, identity: string): PassHandle {
  return uniqueIdentifier.kind === 'email' ? { identity } : { uniqueId: identity };
}

/** What `unique_id` finds a pass by: the value in its metaData (partner-api.md 4.1), whatever tells cardholders apart. */
export function withUniqueId({ uniqueIdentifier: { kind, key } }: Program, pass: Pass): Pass {
  if (kind === 'metaData') return { ...pass, uniqueId: pass.identity };
  const metaData = (pass.passdata['metaData'] ?? {}) as JsonRecord;
  const value = ownValue(metaData, key);
  const isText = typeof value === 'string' && value !== '';
  return { ...pass, uniqueId: isText ? value : numberText(value) };
}

/** Where a request must carry the brand's unique identifier. */
export function nameOf(identifier: UniqueIdentifier): string {
  return identifier.kind === 'email' ? 'person.email' : `passdata.metaData.${identifier.key}`;
}

/** The value of the brand's unique identifier in an issue or update; refused with 400 when it is absent. */
export function requireUniqueId(identifier: UniqueIdentifier, content: PassContent, wording: Wording): string {
  const value = uniqueIdOf(identifier, content);
  const digits = numberText(value);
  if (digits !== null) return digits;
  const tooLong = tooLongForIndex(value);
  if (tooLong !== null) refuse(400, wording.invalid(nameOf(identifier), tooLong));
  if (typeof value === 'string' && value !== '') return value;
  return refuse(400, wording.required(nameOf(identifier)));
}

/** What a request carries where the brand's unique identifier belongs; undefined: nothing. */
export function uniqueIdOf(identifier: UniqueIdentifier, content: PassContent): unknown {
  return identifier.kind === 'email' ? content.person?.email : content.passdata?.metaData?.[identifier.key];
}

/** Refuses with 400 where e-mail addresses do not tell the brand's cardholders apart (partner-api.md 4.1). */
export function requireEmailIdentifier(program: Program, wording: Wording): void {
  if (program.uniqueIdentifier.kind === 'email') return;
  refuse(400, wording.invalid('email', "is not this brand's unique identifier"));
}
