import type { DeliverySettings } from '#delivery';
import { DeliveryLoop } from '#delivery';
import type { Gateway } from '#gateway';
import type { Ingest, OutcomeSink } from '#ingest';
import type { BackgroundLoop, Logger } from '#platform';

import type { Chance } from '../kernel/chance.js';
import { type ProcessClock } from '../kernel/process-clock.js';
import type { SimProcess } from '../kernel/sim-process.js';
import type { DaemonPorts } from './daemon-ports.js';
import type { LoadedPrograms } from './loaded-programs.js';
import { openGateway, openIngest, openOutcomes } from './open-parts.js';
import { SlowedClock } from './slowed-clock.js';

/** A programs file as a daemon has read it. */
export interface DaemonOptions {
  readonly programs: LoadedPrograms;
  readonly settings: DeliverySettings;
  /** Null: this world publishes no outcomes. */
  readonly outcomeSink: OutcomeSink | null;
  readonly logger: Logger;
}

const startMsMax = 600;
const startRetryMs = 500;
/** An outcome may be told some seconds later: looking for it every 100 ms costs a world more than all the rest. */
const outcomesSlowness = 20;

type Stage = 'starting' | 'running' | 'draining' | 'gone';

/** One daemon process: everything that the real one runs, wired alike, on the ports of a world. */
export class SimDaemon {
  stage: Stage = 'starting';
  readonly clock: ProcessClock;
  private programs: LoadedPrograms;
  private delivery: DeliveryLoop | null = null;
  private ingest: Ingest | null = null;
  private gateway: Gateway | null = null;
  private outcomes: BackgroundLoop | null = null;

  constructor(
    readonly process: SimProcess,
    private readonly ports: DaemonPorts,
    private readonly options: DaemonOptions,
  ) {
    this.clock = ports.clock;
    this.programs = options.programs;
  }

  get name(): string {
    return this.process.name;
  }

  start(chance: Chance): void {
    this.process.after(chance.unit() * startMsMax, 'starts', () => void this.begin());
  }

  /** Memory is gone; what has left the process goes on by itself. */
  kill(): void {
    this.process.kill();
    this.stage = 'gone';
  }

  /** SIGHUP: reads the programs file as it is when the signal is handled, which a stopped process does late. */
  reload(read: () => LoadedPrograms): void {
    this.process.after(0, 'reloads', () => {
      this.programs = read();
      this.delivery?.setPrograms(this.programs.file.programs);
    });
  }

  /** SIGTERM: finishes what is open and goes. */
  drain(): void {
    if (this.stage === 'starting') this.kill();
    if (this.stage !== 'running') return;
    this.stage = 'draining';
    this.process.after(0, 'drains', () => void this.leave());
  }

  /** Waits for the database, as a starting daemon does. */
  private async begin(): Promise<void> {
    for (;;) {
      try {
        await this.ports.anchor.start();
        break;
      } catch {
        await this.clock.sleep(startRetryMs);
      }
    }
    this.run();
  }

  private run(): void {
    const { ports, options } = this;
    this.gateway = openGateway(ports, this.programs.file);
    this.delivery = new DeliveryLoop({ ...ports.delivery, partner: this.gateway.partner }, options.settings);
    this.ingest = openIngest(ports, { programs: () => this.programs, logger: options.logger });
    this.delivery.start(this.programs.file.programs);
    this.ingest.server.listen(() => undefined);
    this.ingest.deadLetters?.start();
    this.ingest.erasures.start();
    if (options.outcomeSink !== null) {
      const clock = new SlowedClock(this.clock, outcomesSlowness);
      this.outcomes = openOutcomes({ ...ports, clock }, { sink: options.outcomeSink, logger: options.logger });
      this.outcomes.start();
    }
    this.stage = 'running';
  }

  /** In the order of the real daemon's stop. */
  private async leave(): Promise<void> {
    await this.delivery?.drain();
    await this.outcomes?.stop();
    await this.ingest?.server.close();
    await this.ingest?.deadLetters?.stop();
    await this.ingest?.erasures.stop();
    this.ports.anchor.stop();
    await this.gateway?.close();
    this.kill();
  }
}
