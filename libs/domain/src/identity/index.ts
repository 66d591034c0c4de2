export { judgeIdentities } from './judge-identities.js';
export type { ClaimedIdentity, IdentityPlace, IdentityVerdict, KnownIdentity } from './judge-identities.js';
