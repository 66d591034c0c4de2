import { dirname, join } from 'node:path';

import type { KafkaEnvironment, ProgramsFile } from '#contracts';
import { parseRfc3339 } from '#contracts';
import { sourceProblems } from '#events';

import type { OutputFormat } from '../../client/flags.js';
import { exitError, exitUsage } from '../../command-line/command-failure.js';
import { loadPrograms } from '../../programs/load-programs.js';
import { readKafka, UsageProblems } from '../kafka-words.js';
import type { LintOptions } from '../options.js';
import { sampleFiles } from '../samples/sample-files.js';
import { SampleSources } from '../samples/source-of-sample.js';
import type { TextTarget } from '../text-output.js';
import { TextOutput } from '../text-output.js';
import { compareGolden } from './goldens.js';
import { callsBy } from './judge-mapped.js';
import { lintFile, LintSources, lintTopic } from './lint-records.js';
import { asFileProblem, FileProblem, standardInput } from './read-samples.js';
import { SaleDays } from './sale-days.js';
import type { FileReport, ReportFormat, SampleReport } from './report.js';
import { JsonFormat, JsonLinesFormat, NameFormat, Summary, TableFormat, YamlFormat } from './report.js';

/** The environment and the standard streams of the process. */
export interface LintStreams {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: AsyncIterable<Buffer>;
  readonly stdout: TextTarget;
  readonly stderr: { write(text: string): unknown };
}

/**
 * `loyaltyd lint`: judges samples of source events as the daemon would, and says what a producer should know of them.
 * @returns the exit code: 0 all accepted, 1 a file could not be read, 2 usage, 3 nothing to lint, 4 some refused
 */
export async function runLint(options: LintOptions, streams: LintStreams): Promise<number> {
  const complain = (problem: string): void => void streams.stderr.write(`loyaltyd lint: ${problem}\n`);
  const wrong = wrongUsage(options);
  if (wrong !== null) {
    complain(wrong);
    return exitUsage;
  }
  const programs = await programsOf(options);
  if (programs instanceof ProgramsProblem) {
    programs.problems.forEach(complain);
    return programs.exitCode;
  }
  try {
    const kafka = options.topic === null ? null : readKafka({ ...options, env: streams.env, isDryRun: false });
    return await new LintRun({ options, programs, kafka, streams, complain }).run();
  } catch (error) {
    if (!(error instanceof UsageProblems)) throw error;
    error.lines.forEach(complain);
    return exitUsage;
  }
}

/** Why there is no programs file to route by. */
class ProgramsProblem {
  constructor(
    readonly problems: readonly string[],
    readonly exitCode: number,
  ) {}
}

function wrongUsage(options: LintOptions): string | null {
  const { files, topic, now } = options;
  if (files.length > 0 === (topic !== null)) return 'give files, or --topic';
  if (options.update && topic !== null) return '--update: goes with files';
  if (files.filter((file) => file === standardInput).length > 1) return 'standard input can be read only once';
  if (now !== null && parseRfc3339(now) === null) return '--now: must be an RFC 3339 date-time with offset';
  return programsPath(options) === null ? wrongWithoutPrograms(options) : null;
}

function wrongWithoutPrograms({ dialect, source }: LintOptions): string | null {
  if (dialect !== null) return '--dialect: goes with --programs';
  return source === null ? null : '--source: goes with --programs';
}

/** A file of sources lies beside the programs that it names, where nothing else is said. */
function programsPath({ programs, sources }: LintOptions): string | null {
  return programs ?? (sources === null ? null : join(dirname(sources), 'loyaltyd.yaml'));
}

async function programsOf(options: LintOptions): Promise<ProgramsFile | ProgramsProblem | null> {
  const path = programsPath(options);
  if (path === null) return null;
  const { sources, source, dialect } = options;
  const wordOf = (error: unknown): string => asFileProblem(error).message;
  const loaded = await loadPrograms({ programs: path, sources, dialect }, wordOf);
  if (!loaded.ok) return new ProgramsProblem(loaded.problems, loaded.isMissing ? exitError : exitUsage);
  const isKnown = source === null || new SampleSources(loaded.programs).has(source);
  return isKnown ? loaded.programs : new ProgramsProblem([`--source: ${path} has no source ${source}`], exitUsage);
}

const formats: Readonly<Record<OutputFormat, () => ReportFormat>> = {
  table: () => new TableFormat(),
  wide: () => new TableFormat(),
  json: () => new JsonFormat(),
  jsonl: () => new JsonLinesFormat(),
  yaml: () => new YamlFormat(),
  name: () => new NameFormat(),
};

interface LintParts {
  readonly options: LintOptions;
  readonly programs: ProgramsFile | null;
  /** Null: files are read. */
  readonly kafka: KafkaEnvironment | null;
  readonly streams: LintStreams;
  readonly complain: (problem: string) => void;
}

/** One run over all files, or over a topic. */
class LintRun {
  private readonly output: TextOutput;
  private readonly format: ReportFormat;
  private readonly summary = new Summary();

  constructor(private readonly parts: LintParts) {
    this.output = new TextOutput(parts.streams.stdout);
    this.format = formats[parts.options.output]();
  }

  async run(): Promise<number> {
    const { options } = this.parts;
    await this.output.write(this.format.begin());
    for (const [name, reports] of await this.places()) await this.place(name, reports);
    await this.output.write(await this.format.end(this.summary, options.topic !== null));
    return this.output.isOpen ? this.summary.exitCode(options) : exitError;
  }

  private async places(): Promise<[string, AsyncIterable<SampleReport | FileReport>][]> {
    const { options, programs, kafka, streams } = this.parts;
    const { topic, last } = options;
    const now = options.now === null ? null : parseRfc3339(options.now);
    const clock = (): number => now ?? Date.now();
    const sources = await this.sources(clock);
    const context = { programs, days: new SaleDays(), stdin: streams.stdin, clock, ...(sources && { sources }) };
    if (kafka !== null && topic !== null) return [[topic, lintTopic({ ...context, kafka, topic, last })]];
    const files = await sampleFiles(options.files);
    return files.map((file) => [file, lintFile(file, context)]);
  }

  /** Null where the programs file declares none: nothing of them is loaded then. */
  private async sources(clock: () => number): Promise<LintSources | null> {
    const { options, programs } = this.parts;
    if (programs?.sources === undefined) return null;
    const dialect = options.dialect === null ? null : await loadDialectOf(options.dialect);
    const { SampleFormats } = await import('./sample-formats.js');
    const formats = new SampleFormats(this.parts.streams.env);
    const unread = sourceProblems(programs, formats.judge);
    if (unread.length > 0) throw new UsageProblems(unread);
    const calls = await callsBy(programs, dialect, clock);
    return new LintSources(new SampleSources(programs, options.source), calls, formats.open);
  }

  private async place(name: string, reports: AsyncIterable<SampleReport | FileReport>): Promise<void> {
    const { complain } = this.parts;
    let count = 0;
    const kept: SampleReport[] = [];
    for await (const report of reports) {
      if ('problem' in report) {
        this.summary.countFile(report);
        complain(`${name}: ${report.problem}`);
        return;
      }
      count += 1;
      if ('source' in report) kept.push(report);
      await this.report(report);
      if (!this.output.isOpen) return;
    }
    if (count === 0) complain(`${name}: holds no samples`);
    else if (this.parts.kafka === null && kept.length > 0) await this.compare(name, kept);
  }

  /** Samples of sources alone: what becomes of an event of ours is for this program's own tests. */
  private async compare(file: string, reports: readonly SampleReport[]): Promise<void> {
    const { complain, options } = this.parts;
    if (file === standardInput) return;
    try {
      const result = await compareGolden(file, reports, options.update);
      if (result === 'written') complain(`${file}: what came of it is kept`);
      if (result !== 'differs') return;
      this.summary.countChanged();
      complain(`${file}: something else came of it than what is kept beside it; where that is right: --update`);
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      this.summary.countFile({ file, problem: error.message });
      complain(`${file}: ${error.message}`);
    }
  }

  private async report(report: SampleReport): Promise<void> {
    this.summary.count(report);
    const isSilent = this.parts.options.quiet && report.verdict === 'accepted' && report.warnings.length === 0;
    if (!isSilent) await this.output.write(await this.format.sample(report));
  }
}

async function loadDialectOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { loadDialectFile } = await import('#gateway');
  return loadDialectFile(path);
}
