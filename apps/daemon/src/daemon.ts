import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import type { ProgramsFile } from '#contracts';
import type { DeliveryLoop } from '#delivery';
import type { DialectLayers, Gateway } from '#gateway';
import { DialectRegistry } from '#gateway';
import type { Ingest } from '#ingest';
import { INGEST, KafkaBatchServer } from '#ingest';
import { ProblemFilter } from '#operations';
import type { BackgroundLoop, Logger, Tracing } from '#platform';
import { NestLogger } from '#platform';

import { DaemonModule } from './daemon.module.js';
import type { LiveEnvironment } from './environment/live-environment.js';
import { ProgramsHolder } from './programs/programs-holder.js';
import { markRecovered } from './recovery/mark-recovered.js';
import { apiSettings } from './wiring/api-settings.js';
import { watchClock } from './wiring/clock-anchor.js';
import { followSecrets } from './wiring/follow-secrets.js';
import { dialectLayers, readDialect } from './wiring/gateway.js';
import { httpAdapter } from './wiring/http-adapter.js';
import { ingestSettings } from './wiring/ingest-settings.js';
import type { Operating } from './wiring/operating.js';
import { startOperating } from './wiring/operating.js';
import { openOutcomes } from './wiring/outcomes.js';
import { openPartnerSide } from './wiring/partner-side.js';
import { DaemonProbes } from './wiring/probes.js';
import type { ProgramsParts } from './wiring/programs.js';
import { openPrograms } from './wiring/programs.js';
import type { Storage } from './wiring/storage.js';
import { openStorage } from './wiring/storage.js';
import { openTools } from './wiring/tools.js';
import { tracingCloseMsMax } from './wiring/tracing.js';
import type { Watch } from './wiring/watch.js';
import { startWatch, withMetrics } from './wiring/watch.js';

interface DaemonState {
  readonly app: NestFastifyApplication;
  readonly storage: Storage;
  readonly gateway: Gateway | null;
  readonly delivery: DeliveryLoop | null;
  readonly outcomes: BackgroundLoop | null;
  /** What goes on in the background. */
  readonly operating: Operating;
  readonly watch: Watch;
  readonly programs: ProgramsParts;
  /** Follows the files of secrets and certificates. */
  readonly files: BackgroundLoop;
  readonly stopAnchoring: () => void;
  readonly tracing: Pick<Tracing, 'close'>;
}

export interface Start {
  /** The moment to which the database was restored, epoch ms. */
  readonly recoveredFrom: number | null;
  /** Ends a start that waits for the database; one that is past that goes on, to be drained. */
  readonly stopping: AbortSignal;
}

/** The long-running process: starts all roles, and stops them in the order that leaves nothing half done. */
export class Daemon {
  private constructor(private readonly state: DaemonState) {}

  /**
   * @throws what makes the start impossible; `startProblems` tells what an operator can mend
   * @throws {StoppedError}
   */
  static async start(live: LiveEnvironment, logger: Logger, { recoveredFrom, stopping }: Start): Promise<Daemon> {
    const environment = live.current;
    const dialectFile = await readDialect(environment);
    const programs = await ProgramsHolder.open(environment.programsFile, dialectFile ?? {});
    const dialects = new DialectRegistry(dialectLayers(dialectFile, programs.current.file));
    const storage = await openStorage(live, logger, stopping);
    if (recoveredFrom !== null) await markRecovered(storage, recoveredFrom, logger);
    const { tools, tracing } = await openTools(live, programs, logger);
    const { gateway, delivery } = openPartnerSide(live, { storage, dialects }, tools);
    const { presence, stop: stopAnchoring } = watchClock(storage, tools);
    const [clock, database] = [storage.clock, storage.connection.database];
    const probes = new DaemonProbes({ clock, presence, database, metrics: tools.metrics, delivery });
    const ingest = ingestSettings(live, storage, tools);
    const layers = (file: ProgramsFile): DialectLayers => dialectLayers(dialectFile, file);
    const programsParts = openPrograms(environment, storage, { ...tools, dialects, layers, delivery });
    const { control } = programsParts;
    const api = withMetrics(apiSettings(live, { storage, dialects, control, ...tools }), tools.metrics);
    const module = DaemonModule.forRoot({ probes, api, ingest, gateway, delivery });
    const adapter = httpAdapter(environment.operations.basePath, api);
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest types its options as a class
    const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
      logger: new NestLogger(logger),
      abortOnError: false,
    });
    app.useGlobalFilters(new ProblemFilter(logger));
    if (ingest !== null) {
      app.connectMicroservice({ strategy: app.get(KafkaBatchServer) });
      probes.watch(app.get<Ingest>(INGEST));
    }
    await app.startAllMicroservices();
    delivery?.start(programs.current.file.programs);
    const outcomes = openOutcomes(live, storage, tools);
    outcomes?.start();
    const operating = startOperating({ api, partner: gateway?.partner ?? null, environment, storage, logger });
    const watch = startWatch(app, live, { ...tools, storage, delivery, outcomes, operating, control });
    programsParts.watch.start();
    await app.listen(environment.operations.port, environment.operations.host);
    probes.startCompleted();
    return new Daemon({
      app,
      storage,
      gateway,
      delivery,
      outcomes,
      operating,
      watch,
      programs: programsParts,
      files: followSecrets(live, storage, tools),
      stopAnchoring,
      tracing,
    });
  }

  /** Where operations listens, `http://host:port`. */
  async address(): Promise<string> {
    return this.state.app.getUrl();
  }

  /** Reads the programs file again; an invalid one changes nothing. */
  async reload(): Promise<void> {
    await this.state.programs.reloader.reload('signal');
  }

  /** Stops claiming and consuming, finishes what is open, gives back leases, leaves the group, closes. */
  async stop(): Promise<void> {
    const { app, storage, gateway, delivery, outcomes, operating, watch, programs, files } = this.state;
    const consumer = app.getMicroservices().length > 0 ? app.get(KafkaBatchServer) : null;
    watch.closeStreams();
    // Together: whatever lasts longer than it should, nothing new is taken on meanwhile.
    await Promise.all([
      delivery?.drain(),
      consumer?.close(),
      ...[programs.watch, ...Object.values(operating).flat()].map((loop) => loop.stop()),
    ]);
    await outcomes?.stop();
    await Promise.all([watch.stop(), files.stop()]);
    await app.close();
    this.state.stopAnchoring();
    await gateway?.close();
    await storage.connection.close();
    await this.state.tracing.close(tracingCloseMsMax);
  }
}
