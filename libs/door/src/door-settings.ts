import type { KafkaConnection } from '#kafka';

import type { DoorLimits } from './door-limits.js';

/** What became of a request, for metrics. */
export type DoorResult = 'accepted' | 'unauthorized' | 'refused' | 'no-key' | 'too-large' | 'too-many' | 'kafka-away';

/** What the door is given by its process. */
export abstract class DoorSettings {
  /** Asked at each connection, so that renewed secrets are used. */
  abstract readonly connection: () => KafkaConnection;
  abstract readonly limits: DoorLimits;
  /** @param source null: none that is known */
  abstract readonly counted: (source: string | null, result: DoorResult, events: number) => void;
  /** How many requests wait for Kafka. */
  abstract readonly underWay: (requests: number) => void;
}
