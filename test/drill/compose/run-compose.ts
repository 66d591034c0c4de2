import { exec } from 'node:child_process';
import { promisify } from 'node:util';

import type { Drill, Story } from '../drill.js';
import { runDrill } from '../drill.js';
import { withDrillFolder } from '../drill-folder.js';
import type { DrillReport } from '../report.js';
import type { ComposeOptions, Service } from './options.js';
import { services } from './options.js';
import { ComposeStack } from './stack.js';

const engineMsMax = 120_000;

function crash(service: Service, stack: ComposeStack): Story {
  const play = async (): Promise<void> => {
    const before = await stack.startedAt(service);
    await stack.crash(service);
    await stack.recovered(service, before);
  };
  return { what: `first process of ${service} killed`, play };
}

function restartEngine(command: string, stack: ComposeStack): Story {
  const play = async (): Promise<void> => {
    const all = services.map(async (service) => [service, await stack.startedAt(service)] as const);
    const before = await Promise.all(all);
    await promisify(exec)(command, { timeout: engineMsMax });
    await Promise.all(before.map(([service, startedAt]) => stack.recovered(service, startedAt)));
  };
  return { what: 'engine restarted', play };
}

function downAndUp(stack: ComposeStack): Story {
  const play = async (): Promise<void> => {
    await stack.down({ withData: false });
    await stack.up();
  };
  return { what: 'taken down and up again, data kept', play };
}

/** Starts the stack, plays everything, judges, and removes the stack with its data, whatever happens. */
export function runComposeDrill(options: ComposeOptions): Promise<DrillReport> {
  return withDrillFolder(async ({ folder, programsPath, say, undo }) => {
    const stack = await ComposeStack.open(options, folder, programsPath);
    undo.add(() => stack.down({ withData: true }));
    say('starting the stack');
    await stack.up();
    const drill: Drill = { installation: stack, folder, programsPath, say };
    const { seed, rate, calmSeconds, restartEngine: command } = options;
    const crashes = (['daemon', 'wallet-sandbox', 'kafka', 'postgres'] as const).map((service) =>
      crash(service, stack),
    );
    const engine = command === null ? [] : [restartEngine(command, stack)];
    return runDrill(drill, {
      command: `npm run drill -- compose --seed ${seed} --rate ${rate}`,
      ...{ seed, rate, calmSeconds },
      stories: [...crashes, ...engine, downAndUp(stack)],
      skipped: command === null ? ['the engine restarted: --restart-engine does not say how'] : [],
    });
  });
}
