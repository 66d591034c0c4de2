import type { PassContent } from '../contract/wallet-pass.js';
import type { JsonRecord, Pass, Person } from './pass.js';

/** A person with what a request says about it; null removes an attribute. */
export function mergePerson(person: Person, content: PassContent): Person {
  return { ...person, attributes: mergeRecord(person.attributes, content.person ?? {}) };
}

/** A pass with the given fields changed and the others kept; null clears one. */
export function mergePass(pass: Pass, content: PassContent, nowMs: number): Pass {
  return {
    ...pass,
    templateId: content.templateId ?? pass.templateId,
    templateTierId: changed(content.templateTierId, pass.templateTierId),
    groupId: changed(content.groupId, pass.groupId),
    currentMessage: changed(content.currentMessage, pass.currentMessage),
    smsSubscription: changed(content.smsSubscription, pass.smsSubscription),
    ipAddress: changed(content.ipAddress, pass.ipAddress),
    passdata: mergePassData(pass.passdata, content.passdata ?? {}),
    updatedAt: nowMs,
  };
}

function mergePassData(known: JsonRecord, given: NonNullable<PassContent['passdata']>): JsonRecord {
  const { metaData, ...fields } = given;
  const merged = mergeRecord(known, fields);
  if (metaData === undefined) return merged;
  return { ...merged, metaData: mergeRecord((known['metaData'] ?? {}) as JsonRecord, metaData) };
}

function mergeRecord(known: JsonRecord, given: JsonRecord): JsonRecord {
  const merged = Object.entries({ ...known, ...given }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged);
}

function changed<Value>(given: Value | null | undefined, known: Value | null): Value | null {
  return given === undefined ? known : given;
}
