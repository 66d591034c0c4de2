import type { Partner } from '#gateway';

/** The partner, as far as a person may ask it beside live delivery. */
export abstract class AskedPartner {
  /** Null in a process without a partner. */
  abstract readonly calls: Pick<Partner, 'findPass' | 'countPasses' | 'listPasses'> | null;
  /** Of one call. */
  abstract readonly timeoutMs: number;
}
