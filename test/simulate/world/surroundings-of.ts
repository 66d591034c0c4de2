import { DatabaseServer } from '../database/database-server.js';
import type { PgliteEngine } from '../database/pglite-engine.js';
import { Broker } from '../kafka/broker.js';
import { ConsumerGroup } from '../kafka/consumer-group.js';
import { Chance } from '../kernel/chance.js';
import { Timeline } from '../kernel/timeline.js';
import type { Trace } from '../kernel/trace.js';
import { PartnerServer } from '../partner/partner-server.js';
import { Wallet } from '../partner/wallet.js';
import { pointsOf, uniqueAttributes } from './program-sketch.js';
import type { Scenario } from './scenario.js';
import { topics } from './source-event.js';
import type { Surroundings } from './surroundings.js';

/** Everything outside of the daemons, as a scenario wants it. */
export function surroundingsOf(engine: PgliteEngine, scenario: Scenario, trace: Trace): Surroundings {
  const chance = new Chance(scenario.seed);
  const timeline = new Timeline(scenario.startsAt, chance.fork('timeline'), trace);
  const { enforcesUniqueness, inFlightMs, partitions } = scenario;
  const wallet = new Wallet({ enforcesUniqueness, uniqueAttributes, pointsOf });
  if (scenario.hadPasses) {
    for (const { programId, name } of scenario.programs) {
      wallet.givePass({ program: programId, uniqueId: `${name}-0` }, scenario.startsAt - 1_000);
    }
  }
  const delays = { lateMsMax: inFlightMs * 0.5, staleMsMax: inFlightMs * 0.2 };
  const broker = new Broker(
    new Map(Object.values(topics).map((topic) => [topic, partitions])),
    timeline,
    chance.fork('broker'),
  );
  return {
    scenario,
    timeline,
    chance,
    database: new DatabaseServer(engine, timeline),
    broker,
    group: new ConsumerGroup(broker, timeline),
    partner: new PartnerServer(wallet, { timeline, chance: chance.fork('partner'), delays }),
    faultCounts: new Map(),
  };
}
