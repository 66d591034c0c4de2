export { eraseByOperator } from './erase-by-operator.js';
export type { ErasureStep, OperatorErasure } from './erase-by-operator.js';
export { eraseQuarantined } from './erase-quarantined.js';
export type { ErasureTrace } from './erasure-trace.js';
export { finishErasures, finishErasuresMax } from './finish-erasures.js';
export { lookThroughQuarantine } from './look-through-quarantine.js';
export type { QuarantineLook } from './look-through-quarantine.js';
