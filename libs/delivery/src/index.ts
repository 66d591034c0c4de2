export { DeliveryLoop } from './delivery-loop.js';
export { DeliveryModule } from './delivery.module.js';
export type { DeliveryModuleOptions } from './delivery.module.js';
export type { DeliveryPorts } from './delivery-ports.js';
export { DeliveryEngine } from './engine/delivery-engine.js';
export type { DeliveryEffect, PartnerCall } from './engine/messages.js';
export type { DeliveryEvent } from './engine/messages.js';
export type {
  AttemptObservation,
  AutoPauseObservation,
  FencedObservation,
  Observation,
  ParkObservation,
} from './engine/observation.js';
export type { BreakerStage } from './gate/breaker.js';
export type { GateState } from './gate/program-gate.js';
export { assertLeaseOutlivesRequest, deliverySettings } from './settings.js';
export type { DeliverySettings } from './settings.js';
