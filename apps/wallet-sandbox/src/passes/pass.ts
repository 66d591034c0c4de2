import type { PassContent } from '../contract/wallet-pass.js';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** A cardholder of a brand, created by the first issue. */
export interface Person {
  readonly personId: string;
  readonly brandId: string;
  /** The value of the brand's unique identifier. */
  readonly identity: string;
  readonly attributes: JsonRecord;
}

/** A wallet pass as stored. Dates are epoch milliseconds. */
export interface Pass {
  readonly passId: number;
  readonly brandId: string;
  readonly programId: string;
  /** What `unique_id` finds it by: the value in its metaData; null where it has none. */
  readonly uniqueId: string | null;
  /** The value of the brand's unique identifier: that, or an e-mail address. */
  readonly identity: string;
  readonly personId: string;
  readonly serialNumber: string;
  readonly templateId: number;
  readonly templateTierId: number | null;
  readonly groupId: string | null;
  readonly currentMessage: string | null;
  readonly smsSubscription: number | null;
  readonly ipAddress: string | null;
  readonly passdata: JsonRecord;
  readonly statusCode: string;
  readonly status: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** How a request names a pass; every given part must fit. */
export interface PassHandle {
  readonly uniqueId?: string | undefined;
  readonly identity?: string | undefined;
  readonly passId?: number | undefined;
  readonly serialNumber?: string | undefined;
  readonly personId?: string | undefined;
  /** Epoch milliseconds: a pass created later does not fit. */
  readonly asOf?: number | undefined;
}

/** The part of a handle to speak of in a refusal. */
export function describeHandle(handle: PassHandle): { readonly by: string; readonly value: string } {
  if (handle.uniqueId !== undefined) return { by: 'unique_id', value: handle.uniqueId };
  if (handle.serialNumber !== undefined) return { by: 'serialNumber', value: handle.serialNumber };
  if (handle.identity !== undefined) return { by: 'email', value: handle.identity };
  if (handle.passId !== undefined) return { by: 'passId', value: String(handle.passId) };
  return { by: 'person_id', value: handle.personId ?? '' };
}

const nameParts = ['uniqueId', 'identity', 'passId', 'serialNumber', 'personId'] as const;

/** True when every given part of the handle names this pass. */
export function fitsHandle(pass: Pass, handle: PassHandle): boolean {
  const isOldEnough = pass.createdAt <= (handle.asOf ?? Infinity);
  return isOldEnough && nameParts.every((part) => (handle[part] ?? pass[part]) === pass[part]);
}

/** A pass's status, by name and by number (partner-api.md section 3). */
export interface PassStatus {
  readonly statusCode: string;
  readonly status: number;
}

/** A new pass is ACTIVE, whose number is 200; the specification shows no other status. */
export const activeStatus: PassStatus = { statusCode: 'ACTIVE', status: 200 };

interface DownloadLinks {
  readonly downloadUrl: string;
  readonly downloadUrlApple: string;
  readonly downloadUrlGoogle: string;
}

/** The three links of a pass (partner-api.md section 2), below `origin`; the sandbox serves no page there. */
function downloadLinks(origin: string, serialNumber: string): DownloadLinks {
  const downloadUrl = `${origin}/passes/${encodeURIComponent(serialNumber)}`;
  return { downloadUrl, downloadUrlApple: `${downloadUrl}/apple`, downloadUrlGoogle: `${downloadUrl}/google` };
}

/** WalletPass of partner-api.md section 2. */
interface WalletPassAnswer extends DownloadLinks {
  readonly passId: number;
  readonly serialNumber: string;
  readonly templateId: number;
  readonly personId: string;
  readonly groupId?: string;
  readonly templateTierId?: number;
  readonly currentMessage?: string;
  readonly passdata: Readonly<Record<string, unknown>>;
  readonly statusCode: string;
  readonly status: number;
}

/** A pass as it is answered to a caller who knows this sandbox as `origin` (`http://host:port`). */
export function toWalletPass(pass: Pass, origin: string): WalletPassAnswer {
  return {
    passId: pass.passId,
    serialNumber: pass.serialNumber,
    templateId: pass.templateId,
    personId: pass.personId,
    ...(pass.groupId === null ? {} : { groupId: pass.groupId }),
    ...(pass.templateTierId === null ? {} : { templateTierId: pass.templateTierId }),
    ...(pass.currentMessage === null ? {} : { currentMessage: pass.currentMessage }),
    passdata: pass.passdata,
    ...downloadLinks(origin, pass.serialNumber),
    statusCode: pass.statusCode,
    status: pass.status,
  };
}

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
