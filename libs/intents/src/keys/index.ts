export { MemberKeys } from './member-keys.js';
export { sealPayload } from './payload.js';
export { KeyUnknownError, rotateKeys } from './rotate-keys.js';
export type { KeyRotation, RotationTools } from './rotate-keys.js';
export { sampleMemberKeys } from './sample-member-keys.js';
export type { SampledKeys } from './sample-member-keys.js';
