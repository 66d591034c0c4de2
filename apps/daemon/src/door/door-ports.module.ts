import { Module } from '@nestjs/common';

import { doorLimits, DoorSettings, DoorSources } from '#door';

import { Configuration } from '../environment/configuration.module.js';
import { KafkaAccess } from '../kafka/kafka-access.js';
import { Platform } from '../platform.module.js';
import { doorSourcesOf } from './door-sources.js';

function doorSettings(access: KafkaAccess, { metrics }: Platform): DoorSettings {
  return {
    connection: () => access.connection(),
    limits: doorLimits,
    counted: (source, result, events) => {
      metrics.doorCounted(source, result, events);
    },
    underWay: (requests) => {
      metrics.doorUnderWay(requests);
    },
  };
}

/** Those of the file in force, made anew when it changes. */
function doorSources({ environment: { kafka }, programs }: Configuration, { metrics }: Platform): DoorSources {
  if (kafka === null) throw new Error('Kafka must be configured');
  let made = { of: programs.current.file, sources: doorSourcesOf(programs.current.file, kafka.topics) };
  const current: DoorSources['current'] = () => {
    const { file } = programs.current;
    if (file !== made.of) made = { of: file, sources: doorSourcesOf(file, kafka.topics) };
    metrics.knowSources(made.sources.map(({ name }) => name));
    return made.sources;
  };
  current();
  return { current };
}

const providers = [
  { provide: DoorSettings, inject: [KafkaAccess, Platform], useFactory: doorSettings },
  { provide: DoorSources, inject: [Configuration, Platform], useFactory: doorSources },
];

/** What the door asks of this process. */
@Module({ providers, exports: providers })
export class DoorPortsModule {}
