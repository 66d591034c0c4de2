import type { DatabaseServer } from '../database/database-server.js';
import type { Broker, ConsumerGroup } from '../kafka/broker.js';
import type { Chance } from '#shop';
import type { Timeline } from '../kernel/timeline.js';
import type { PartnerServer } from '../partner/partner-server.js';
import type { Scenario } from './scenario.js';

/** What a world's processes share: everything outside of them. */
export interface WorldContext {
  readonly scenario: Scenario;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly database: DatabaseServer;
  readonly broker: Broker;
  readonly group: ConsumerGroup;
  readonly partner: PartnerServer;
  readonly faultCounts: Map<string, number>;
}
