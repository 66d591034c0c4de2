import type { Administration } from './port/administration.js';
import type { PassListings } from './port/pass-listing.js';
import type { PassOperations } from './port/pass-operations.js';
import type { TokenCheck } from './port/token-check.js';

/** Injection token of the one port to the partner. */
export const PARTNER = Symbol('Partner');

/**
 * The partner's Wallet Card API, whole: every call of partner-api.md section 4 and the token call. Who needs a part
 * names the part (`PassOperations`, `PassListings`, `Administration`, `TokenCheck`) or picks from it.
 *
 * Methods resolve with a report for every answer, error, timeout and for input that makes no request (stage `request`,
 * nothing sent); they reject only for a programming error. No method ever sends twice, except once after a 401 with a
 * fresh token: a 401 is a definite refusal (partner-api.md sections 5 and 7).
 */
export interface Partner extends PassOperations, PassListings, Administration, TokenCheck {}
