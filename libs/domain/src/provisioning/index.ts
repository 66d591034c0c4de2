export type * from './thing.js';
export { isInDoubt, isUnderWay, thingKeyText } from './thing.js';
export { dependsOn } from './declared-things.js';
export { judgeThing, partnerIdOf, placedAs } from './judge-thing.js';
export type { Judgement, JudgementTimes } from './judge-thing.js';
export { inFlightMsOf, planProvisioning } from './plan-provisioning.js';
export type { PlanRequest, ProvisionPlan, ProvisionStep } from './plan-provisioning.js';
export type { ProvisionWarning } from './provision-warnings.js';
