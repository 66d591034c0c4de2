import type { PartnerId, QueryType } from '#contracts';

/** Which passes of a program are meant; what is given must all fit. */
export interface PassSelection {
  readonly uniqueId?: string;
  /** Only where the brand's unique identifier is the email (partner-api.md 4.1). */
  readonly email?: string;
  readonly personId?: string;
  readonly serialNumber?: string;
  readonly groupId?: string;
  readonly templateId?: PartnerId;
  readonly templateTierId?: PartnerId;
  /** A status name as `ACTIVE`, or its number. */
  readonly statusCode?: string | number;
}

/** Filters of the listing (4.5). Times are epoch milliseconds. */
export interface PassFilter extends Omit<PassSelection, 'personId' | 'statusCode'> {
  /** A status name as `ACTIVE`, or its number; compared as `compare` says, for equality without it. */
  readonly status?: { readonly code: string | number; readonly compare?: QueryType };
  readonly lastUpdated?: { readonly atMs: number; readonly compare?: QueryType };
  readonly lastUpdatedFromMs?: number;
  readonly lastUpdatedToMs?: number;
}
