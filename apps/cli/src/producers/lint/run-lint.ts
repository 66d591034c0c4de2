import type { KafkaEnvironment, ProgramsFile } from '#contracts';
import { parseRfc3339 } from '#contracts';
import { nativeAuthority } from '#events';
import type { Subject } from '#events/core';

import type { OutputFormat } from '../../client/flags.js';
import { exitError, exitUsage } from '../../command-line/command-failure.js';
import { loadPrograms } from '../../programs/load-programs.js';
import { readKafka, UsageProblems } from '../kafka-words.js';
import type { LintOptions } from '../options.js';
import type { TextTarget } from '../text-output.js';
import { TextOutput } from '../text-output.js';
import type { Judgement } from './judge-sample.js';
import { judgeSample, judgeTopicRecord, refusal } from './judge-sample.js';
import { readRecord } from './read-record.js';
import type { Sample } from './read-samples.js';
import { asFileProblem, FileProblem, readSamples, standardInput } from './read-samples.js';
import { SaleDays } from './sale-days.js';
import type { FileReport, ReportFormat, SampleReport } from './report.js';
import { JsonFormat, JsonLinesFormat, NameFormat, Summary, TableFormat, YamlFormat } from './report.js';

interface LintContext {
  readonly programs: ProgramsFile | null;
  readonly days?: SaleDays;
  readonly stdin: AsyncIterable<Buffer>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Every sample of a file with its judgement; the file's own problem, where it has one, comes last. */
export async function* lintFile(file: string, context: LintContext): AsyncGenerator<SampleReport | FileReport, void> {
  try {
    for (const sample of await readSamples(file, context.stdin)) {
      yield { file, line: sample.line, ...judge(sample, context) };
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    yield { file, problem: error.message };
  }
}

function judge({ bytes }: Sample, context: LintContext): Judgement {
  const read = readRecord(bytes);
  if (!read.ok) return refusal('unreadable', read.detail);
  return judgeSample(read.record, { ...context, now: context.clock() });
}

interface TopicContext extends Pick<LintContext, 'programs' | 'days' | 'clock'> {
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  readonly last: number;
}

/** As `lintFile`, of the newest records of a topic: the file is `topic/partition`, the line the offset. */
async function* lintTopic(context: TopicContext): AsyncGenerator<SampleReport | FileReport, void> {
  const { kafka, topic, last, programs, days, clock } = context;
  const { readTopic } = await import('./read-topic.js');
  const { members, purchases, rewards } = kafka.topics;
  const native = Object.entries({ members, purchases, rewards }).find(([, name]) => name === topic);
  const authority = native === undefined ? null : nativeAuthority(native[0] as Subject);
  try {
    for await (const record of readTopic({ kafka, topic, last })) {
      const judged = judgeTopicRecord(record, { programs, authority, ...(days && { days }), now: clock() });
      yield { file: `${topic}/${record.partition}`, line: record.offset, ...judged };
    }
  } catch (error) {
    yield { file: topic, problem: error instanceof Error ? error.message : 'cannot be read' };
  }
}

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

function wrongUsage({ files, topic, now, programs, dialect }: LintOptions): string | null {
  if (files.length > 0 === (topic !== null)) return 'give files, or --topic';
  if (files.filter((file) => file === standardInput).length > 1) return 'standard input can be read only once';
  if (now !== null && parseRfc3339(now) === null) return '--now: must be an RFC 3339 date-time with offset';
  if (dialect !== null && programs === null) return '--dialect: goes with --programs';
  return null;
}

async function programsOf({ programs: path, dialect }: LintOptions): Promise<ProgramsFile | ProgramsProblem | null> {
  if (path === null) return null;
  const wordOf = (error: unknown): string => asFileProblem(error).message;
  const loaded = await loadPrograms({ programs: path, sources: null, dialect }, wordOf);
  if (loaded.ok) return loaded.programs;
  return new ProgramsProblem(loaded.problems, loaded.isMissing ? exitError : exitUsage);
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
    for (const [name, reports] of this.sources()) await this.source(name, reports);
    await this.output.write(await this.format.end(this.summary));
    return this.output.isOpen ? this.summary.exitCode(options) : exitError;
  }

  private *sources(): Generator<[string, AsyncIterable<SampleReport | FileReport>], void> {
    const { options, programs, kafka, streams } = this.parts;
    const now = options.now === null ? null : parseRfc3339(options.now);
    const context = { programs, days: new SaleDays(), stdin: streams.stdin, clock: () => now ?? Date.now() };
    for (const file of options.files) yield [file, lintFile(file, context)];
    const { topic, last } = options;
    if (kafka !== null && topic !== null) yield [topic, lintTopic({ ...context, kafka, topic, last })];
  }

  private async source(name: string, reports: AsyncIterable<SampleReport | FileReport>): Promise<void> {
    const { complain } = this.parts;
    let count = 0;
    for await (const report of reports) {
      if ('problem' in report) {
        this.summary.countFile(report);
        complain(`${name}: ${report.problem}`);
        return;
      }
      count += 1;
      await this.report(report);
      if (!this.output.isOpen) return;
    }
    if (count === 0) complain(`${name}: holds no samples`);
  }

  private async report(report: SampleReport): Promise<void> {
    this.summary.count(report);
    const isSilent = this.parts.options.quiet && report.verdict === 'accepted' && report.warnings.length === 0;
    if (!isSilent) await this.output.write(await this.format.sample(report));
  }
}
