import type { Program } from '#contracts';
import { parseProgramsFile } from '#contracts';
import type { DeliverySettings } from '#outbox';
import { deliverySettings } from '#outbox';
import type { OutcomeSink } from '#events/ingest';
import type { IngestKeys } from '#intents';
import type { Logger } from '#platform';
import { AnchoredDatabase, ClockAnchor, digest, LocalWake } from '#platform';

import type { MemberKeysPool } from '../daemon/member-keys-pool.js';
import type { DaemonPorts, LoadedPrograms } from '../daemon/sim-daemon.js';
import { SimDaemon } from '../daemon/sim-daemon.js';
import { SimDatabase } from '../database/sim-database.js';
import { SimSource } from '../kafka/sim-source.js';
import { SimRandom } from '../kernel/sim-random.js';
import { ProcessClock, SimProcess } from '../kernel/sim-process.js';
import { SimTransport } from '../partner/partner-server.js';
import type { PlantedBug } from '../planted/planted-bug.js';
import type { ProgramSketch } from './scenario.js';
import { programsText } from './scenario.js';
import type { WorldContext } from './context.js';

/** What tills of markets have learned since is refused by the map of before: it is mended with the file. */
const byOldMap = (sketch: ProgramSketch): ProgramSketch =>
  sketch.market === undefined ? sketch : { ...sketch, market: { ...sketch.market, by: 'without-exchanges' } };

/** The programs files of a world: the whole one, and what it looks like with a program missing, or otherwise posted and mapped. */
export class ProgramsFiles {
  readonly whole: LoadedPrograms;

  constructor(private readonly sketches: readonly ProgramSketch[]) {
    this.whole = load(sketches);
  }

  without(name: string): LoadedPrograms {
    return load(this.sketches.filter((sketch) => sketch.name !== name));
  }

  retyping(name: string): LoadedPrograms {
    return load(this.sketches.map((sketch) => ({ ...byOldMap(sketch), retypesSales: sketch.name === name })));
  }
}

/** What is refused at start is put into the file behind the one that looks. */
function load(sketches: readonly ProgramSketch[]): LoadedPrograms {
  const result = parseProgramsFile(programsText(sketches.map((sketch) => ({ ...sketch, hasNarrowReceipts: false }))));
  if (!result.ok) throw new Error(result.errors.join('\n'));
  const { programs } = result.value;
  const narrow = sketches
    .filter(({ hasNarrowReceipts }) => hasNarrowReceipts)
    .flatMap(({ name }) => {
      const program = programs[name];
      return program === undefined ? [] : [[name, withNarrowReceipts(program)] as const];
    });
  const file = { ...result.value, programs: { ...programs, ...Object.fromEntries(narrow) } };
  return { file, hash: digest(result.canonicalText) };
}

function withNarrowReceipts(program: Program): Program {
  const { completed, refunded } = program.purchases;
  return {
    ...program,
    purchases: { ...program.purchases, completed: narrowed(completed), refunded: narrowed(refunded) },
  };
}

/** Of what is joined only the last part. */
function narrowed<Mapping extends Program['purchases']['completed']>(mapping: Mapping): Mapping {
  if (mapping?.via !== 'transaction') return mapping;
  const attributes = Object.entries(mapping.attributes).map(([name, source]) => {
    const path = source.kind === 'join' ? source.paths.at(-1) : undefined;
    return [name, path === undefined ? source : { kind: 'path', path, required: true }];
  });
  return { ...mapping, attributes: Object.fromEntries(attributes) as typeof mapping.attributes };
}

const partnerTimeoutMs = 2_000;
/** Polling by the millisecond shows nothing that half a second does not, and costs a world all its time. */
const idlePollMs = 500;
export const coordinationMs = 1_300;

export const macKey = new Uint8Array(32).fill(8);
const quarantineKey = new Uint8Array(32).fill(9);

interface FleetOptions {
  readonly programs: LoadedPrograms;
  readonly outcomeSink: OutcomeSink | null;
  readonly keys: MemberKeysPool;
  readonly bug: PlantedBug;
  readonly onProblem: (problem: string) => void;
}

/** The daemons of a world, and those who have gone. */
export class Fleet {
  readonly all: SimDaemon[] = [];
  private readonly settings: DeliverySettings;
  private started = 0;
  private programs: LoadedPrograms;

  constructor(
    private readonly around: WorldContext,
    private readonly options: FleetOptions,
  ) {
    const defaults = deliverySettings(partnerTimeoutMs);
    this.settings = { ...defaults, idlePollMs, coordinationMs, ...around.scenario.settings };
    this.programs = options.programs;
  }

  get present(): readonly SimDaemon[] {
    return this.all.filter(({ stage }) => stage !== 'gone');
  }

  get running(): readonly SimDaemon[] {
    return this.all.filter(({ stage, process }) => stage === 'running' && process.isAlive);
  }

  start(): SimDaemon {
    this.started += 1;
    const name = `d${this.started}`;
    const process = new SimProcess(name, this.around.timeline);
    const daemon = new SimDaemon(process, this.ports(process), {
      programs: this.programs,
      settings: this.settings,
      outcomeSink: this.options.outcomeSink,
      logger: this.loggerOf(),
    });
    this.all.push(daemon);
    daemon.start(this.around.chance.fork(`start ${name}`));
    return daemon;
  }

  /** The file that daemons read from now on; those that are there read it within a second. */
  reload(programs: LoadedPrograms): void {
    this.programs = programs;
    const { timeline, chance } = this.around;
    for (const daemon of this.present) {
      timeline.after(chance.unit() * 1_000, `${daemon.name} is told to reload`, () => {
        daemon.reload(() => this.programs);
      });
    }
  }

  private ports(process: SimProcess): DaemonPorts {
    const { timeline, chance, database: server, broker, group, partner } = this.around;
    const own = chance.fork(process.name);
    const random = new SimRandom(own.fork('random'));
    const clock = new ProcessClock(process, timeline, own.fork('clock'));
    const bare = new SimDatabase(server, process, { timeline, chance: own.fork('database') });
    const anchor = new ClockAnchor(clock, bare);
    const database = new AnchoredDatabase(bare, anchor);
    const keys: IngestKeys = {
      members: this.options.keys.take(random),
      mac: macKey,
      quarantine: quarantineKey,
      random,
    };
    const wake = new LocalWake();
    // Nobody tells: it is as if every notification were lost.
    wake.hearsOthers = own.fork('hears').unit() < 0.75;
    const ports: DaemonPorts = {
      clock,
      random,
      database,
      keys,
      wake,
      source: new SimSource({ broker, group, process, chance: own.fork('source') }),
      transport: new SimTransport(partner, process, { timeline, chance: own.fork('transport') }),
      deadLetterSink: { send: async () => this.failWithBroker(), close: async () => undefined },
      delivery: {
        clock,
        random,
        database,
        wake,
        keys: keys.members,
        macKey,
        observe: () => undefined,
        onFailure: (operation) => timeline.trace.note(timeline.now, `${process.name} trouble ${operation}`),
      },
      anchor,
    };
    return this.options.bug.change(ports, own.fork('bug'));
  }

  private failWithBroker(): void {
    if (this.around.broker.weather.isDown) throw new Error('the broker does not answer');
  }

  /** A daemon that logs an error has met something that it did not expect. */
  private loggerOf(): Logger {
    const ignore = (): void => undefined;
    return {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (fields, message) => {
        // Records that retention took before they were consumed are to be told of.
        if (message.includes('accept-gap') && this.around.faultCounts.has('retention-gap')) return;
        this.options.onProblem(`${message} ${JSON.stringify(fields)}`);
      },
    };
  }
}
