import type { HeardOutcome, History, Verdict } from '../../checker/index.js';
import { judgeHistory } from '../../checker/index.js';
import { judge } from '../../judge/index.js';
import type { RetailersReport } from '../../judge/report.js';
import { findingText, retailersReport } from '../../judge/report.js';
import { caseOfWorld } from '../../judge/wiring/from-simulation.js';
import type { MemberKeysPool } from '../daemon/member-keys-pool.js';
import { DatabaseServer } from '../database/database-server.js';
import type { PgliteEngine } from '../database/pglite-engine.js';
import { Broker, ConsumerGroup } from '../kafka/broker.js';
import { Chance } from '#shop';
import { Timeline, Trace } from '../kernel/timeline.js';
import { PartnerServer } from '../partner/partner-server.js';
import { Wallet } from '../partner/wallet.js';
import type { PlantedBug } from '../planted/planted-bug.js';
import type { HistorySources } from '../verdict/commit-log.js';
import { CommitLog } from '../verdict/commit-log.js';
import { readHistory } from '../verdict/read-history.js';
import { OperatorClient, OutcomeListener, Producer } from './clients.js';
import { Corrector } from './corrector.js';
import { ErasedNames } from '../../reading/erased-names.js';
import { Fleet, macKey, ProgramsFiles } from './fleet.js';
import { Nemesis } from './nemesis.js';
import { readOffsets, RestWatch } from './rest-watch.js';
import type { Scenario } from './scenario.js';
import { marketTopic, pointsOf, uniqueAttributes } from './scenario.js';
import { topics } from './traffic.js';
import type { WorldContext } from './context.js';
import * as weather from './weather.js';

const topicsOf = ({ programs }: Scenario): readonly string[] => [
  ...Object.values(topics),
  ...(programs.some(({ market }) => market !== undefined) ? [marketTopic] : []),
];

/** Everything outside of the daemons, as a scenario wants it. */
function surroundingsOf(engine: PgliteEngine, scenario: Scenario, trace: Trace): WorldContext {
  const chance = new Chance(scenario.seed);
  const timeline = new Timeline(scenario.startsAt, chance.fork('timeline'), trace);
  const { enforcesUniqueness, inFlightMs, partitions } = scenario;
  const wallet = new Wallet({ enforcesUniqueness, uniqueAttributes, pointsOf: pointsOf(scenario.programs) });
  if (scenario.hadPasses) {
    for (const { programId, name } of scenario.programs) {
      wallet.givePass({ program: programId, uniqueId: `${name}-0` }, scenario.startsAt - 1_000);
    }
  }
  const delays = { lateMsMax: inFlightMs * 0.5, staleMsMax: inFlightMs * 0.2 };
  const broker = new Broker(
    new Map(topicsOf(scenario).map((topic) => [topic, partitions])),
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

/** After the faults have ended, everything must have come to rest by then. */
const restMsMax = 3_600_000;
const drainMsMax = 60_000;
const liftEveryMs = 3_000;

interface WorldOptions {
  readonly bug: PlantedBug;
  readonly keys: MemberKeysPool;
  readonly print: ((line: string) => void) | null;
  /** The second judge, which shares nothing with the checker, is asked, too. */
  readonly asksRetailer: boolean;
  /** Is handed the whole history, which is of no use to a run of many worlds. */
  readonly keep: ((history: History) => void) | null;
}

/** What a world came to. */
export interface WorldResult {
  /** One sentence each; the checker's first. */
  readonly problems: readonly string[];
  readonly verdict: Verdict | null;
  /** What the retailer's judge looked at; null where it was not asked, or could not tell the records apart. */
  readonly retailer: RetailersReport | null;
  readonly traceHash: string;
  readonly steps: number;
  readonly virtualMs: number;
  readonly faults: Readonly<Record<string, number>>;
}

/** One world from its beginning to its verdict: trouble, healing, rest, an orderly end. */
export class World {
  private readonly around: WorldContext;
  private readonly fleet: Fleet;
  private readonly producer: Producer;
  private readonly nemesis: Nemesis;
  private readonly operator: OperatorClient;
  private readonly corrector: Corrector;
  private readonly rest: RestWatch;
  private readonly commits: CommitLog;
  private readonly shelf: ProgramsFiles;
  private readonly listener: OutcomeListener;
  private readonly problems: string[] = [];
  private retailer: RetailersReport | null = null;
  private readonly trace: Trace;

  constructor(
    private readonly engine: PgliteEngine,
    private readonly scenario: Scenario,
    private readonly options: WorldOptions,
  ) {
    engine.reset();
    this.trace = new Trace(options.print);
    this.around = surroundingsOf(engine, scenario, this.trace);
    const { timeline, database } = this.around;
    this.commits = new CommitLog(engine, timeline);
    database.beWatchedBy(this.commits);
    this.shelf = new ProgramsFiles(options.bug.programs(scenario.programs));
    this.listener = new OutcomeListener(this.around);
    this.fleet = new Fleet(this.around, {
      programs: this.shelf.whole,
      outcomeSink: scenario.publishesOutcomes ? this.listener : null,
      bug: options.bug,
      keys: options.keys,
      onProblem: (problem) => this.problems.push(problem),
    });
    this.producer = new Producer(this.around, new ProgramsFiles(scenario.programs).whole.file);
    this.operator = new OperatorClient(this.around, options);
    this.corrector = new Corrector(this.around, this.operator);
    this.rest = new RestWatch(engine, {
      around: this.around,
      producer: this.producer,
      listener: this.listener,
      isAnyStopped: () => this.fleet.present.some(({ process }) => process.isStopped),
    });
    const storedOffsets = (): ReturnType<typeof readOffsets> => readOffsets(engine);
    this.nemesis = new Nemesis(this.around, {
      fleet: this.fleet,
      operator: this.operator,
      corrector: this.corrector,
      shelf: this.shelf,
      storedOffsets,
    });
  }

  /** Never rejects: whatever goes wrong is a problem of this world. */
  async run(): Promise<WorldResult> {
    let verdict: Verdict | null = null;
    try {
      verdict = await this.live();
    } catch (error) {
      this.problems.push(`a process would have died: ${error instanceof Error ? (error.stack ?? '') : String(error)}`);
    }
    this.options.keys.free();
    return {
      problems: [...(verdict?.violations ?? []).map(describe), ...this.problems],
      verdict,
      retailer: this.retailer,
      traceHash: this.trace.digest(),
      steps: this.trace.lines,
      virtualMs: this.around.timeline.now - this.scenario.startsAt,
      faults: Object.fromEntries(this.around.faultCounts),
    };
  }

  private async live(): Promise<Verdict> {
    const { scenario, around } = this;
    const { timeline } = around;
    for (let index = 0; index < scenario.daemons; index += 1) this.fleet.start();
    this.producer.schedule();
    weather.schedule(around);
    this.nemesis.schedule();
    if (scenario.trade?.givesUp === true) this.operator.giveUpEnrolments();
    await timeline.run(scenario.startsAt + scenario.troubledMs);
    this.heal();
    const healedAt = timeline.now;
    await timeline.run(healedAt + restMsMax, () => this.rest.isReached);
    if (!this.rest.isReached) this.problems.push(`never came to rest: ${this.rest.describe()}`);
    for (const daemon of this.fleet.present) daemon.drain();
    await timeline.run(timeline.now + drainMsMax, () => this.fleet.present.length === 0);
    if (this.fleet.present.length > 0) this.problems.push('a daemon never drained');
    this.problems.push(...around.database.refusals.map((refusal) => `the database refused ${refusal}`));
    const sources = this.sources();
    const history = readHistory(sources);
    this.options.keep?.(history);
    const verdict = judgeHistory(history);
    if (this.options.asksRetailer) this.judgeAsRetailer(sources, verdict.figures.unknowns);
    return verdict;
  }

  private judgeAsRetailer(sources: HistorySources, unknown: number): void {
    const { programs } = this.scenario;
    const { isInFile, programs: changed } = this.options.bug;
    const seen = caseOfWorld(sources, {
      told: this.listener.toldOf(sources.names),
      corrections: this.corrector.said,
      programs: isInFile ? changed(programs) : programs,
    });
    if (seen === null) return;
    const { commitLate = 0, commitTwice = 0 } = this.around.partner.strikes;
    const verdict = judge(seen);
    this.retailer = retailersReport(seen, verdict, { appliedLate: commitLate, appliedTwice: commitTwice, unknown });
    this.problems.push(
      ...verdict.findings.map((finding) => `retailer: ${findingText(finding)}`),
      ...this.retailer.unbounded.map((text) => `retailer counts apart without a cause: ${text}`),
    );
  }

  /** Faults end; somebody starts daemons again and mends what was paused. */
  private heal(): void {
    const { around, fleet } = this;
    around.timeline.trace.note(around.timeline.now, 'healed');
    this.nemesis.stop();
    weather.calm(around);
    fleet.reload(this.shelf.whole);
    if (fleet.present.every(({ stage }) => stage === 'draining')) fleet.start();
    const mend = (): void => {
      this.operator.liftAll();
      this.operator.acceptGaps();
      around.timeline.after(liftEveryMs, 'mends', mend);
    };
    mend();
    this.rest.start();
  }

  private namesOfErased(): ErasedNames {
    const values = this.around.broker.all.flatMap((log) => [...log.records.values()].map(({ value }) => value));
    return new ErasedNames(
      macKey,
      values.map((value) => (value === null ? '' : Buffer.from(value).toString('utf8'))),
    );
  }

  private sources(): HistorySources {
    const { engine, around, commits, scenario, listener } = this;
    const names = new Map(scenario.programs.map(({ programId, name }) => [programId, name]));
    const erased = this.namesOfErased();
    const heard: readonly HeardOutcome[] | null = scenario.publishesOutcomes ? listener.heardOf(erased) : null;
    const replicas = this.fleet.all.length;
    return {
      engine,
      around,
      programs: new ProgramsFiles(scenario.programs).whole,
      commits,
      outcomes: heard,
      names: erased,
      ending: { isAtRest: this.rest.isReached, isStopped: this.fleet.present.length === 0, replicas },
      nameOf: (programId) => (programId === null ? null : (names.get(programId) ?? null)),
      programIdOf: (name) => scenario.programs.find((program) => program.name === name)?.programId ?? '',
    };
  }
}

function describe({ invariant, problem, at, laneId, seq, rows }: Verdict['violations'][number]): string {
  return `${invariant} ${problem} (lane ${laneId}, seq ${seq}, at ${at}) ${JSON.stringify(rows)}`;
}
