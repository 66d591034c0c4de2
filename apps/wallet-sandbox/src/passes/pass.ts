export type JsonRecord = Readonly<Record<string, unknown>>;

/** A cardholder of a brand, created by the first issue. */
export interface Person {
  readonly personId: string;
  readonly brandId: string;
  /** The value of the brand's unique identifier. */
  readonly uniqueId: string;
  readonly attributes: JsonRecord;
}

/** A wallet pass as stored. Dates are epoch milliseconds. */
export interface Pass {
  readonly passId: number;
  readonly brandId: string;
  readonly programId: string;
  readonly uniqueId: string;
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
  if (handle.passId !== undefined) return { by: 'passId', value: String(handle.passId) };
  return { by: 'person_id', value: handle.personId ?? '' };
}

const nameParts = ['uniqueId', 'passId', 'serialNumber', 'personId'] as const;

/** True when every given part of the handle names this pass. */
export function fitsHandle(pass: Pass, handle: PassHandle): boolean {
  const isOldEnough = pass.createdAt <= (handle.asOf ?? Infinity);
  return isOldEnough && nameParts.every((part) => (handle[part] ?? pass[part]) === pass[part]);
}
