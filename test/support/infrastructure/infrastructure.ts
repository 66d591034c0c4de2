import type { Parts, Started } from './part.js';
import { pickBroker } from './pick-broker.js';
import { pickPostgres } from './pick-postgres.js';

/** Starts each part on its first request, once, and says what it picked. */
export interface Infrastructure {
  request<Name extends keyof Parts>(name: Name): Promise<Parts[Name]>;
  /** Ends what was started. */
  stop(): Promise<void>;
}

interface Described {
  readonly version: string;
  readonly origin: string;
}

const announce = (title: string, { version, origin }: Described, startedAt: number): void => {
  const milliseconds = Math.round(performance.now() - startedAt);
  process.stderr.write(`Tests use ${title} ${version} (${origin}), ready after ${milliseconds} ms\n`);
};

export const createInfrastructure = (): Infrastructure => {
  const running: Promise<Started<Described>>[] = [];
  const once = <Part extends Described>(title: string, pick: () => Promise<Started<Part>>) => {
    let result: Promise<Started<Part>> | undefined;
    const start = async (): Promise<Started<Part>> => {
      const startedAt = performance.now();
      const started = await pick();
      announce(title, started.part, startedAt);
      return started;
    };
    return (): Promise<Started<Part>> => {
      if (result === undefined) running.push((result = start()));
      return result;
    };
  };
  const parts: { readonly [Name in keyof Parts]: () => Promise<Started<Parts[Name]>> } = {
    broker: once('Kafka', pickBroker),
    postgres: once('Postgres', pickPostgres),
  };
  return {
    request: async (name) => (await parts[name]()).part,
    stop: async () => {
      const settled = await Promise.allSettled(running);
      await Promise.all(settled.map(async (each) => each.status === 'fulfilled' && each.value.stop()));
    },
  };
};
