import type { GatewayAccess } from '../gateway/gateway-line.js';

/** The service under test. */
export interface Target extends GatewayAccess {
  /** It is a wallet sandbox of ours: it has fault dials and a ledger, and may be called as fast as one can. */
  readonly isSandbox: boolean;
}
