import type { KafkaEnvironment, ProgramsFile } from '#contracts';
import type { TopicSource } from '#events';
import type { OpenFormat } from '#events';
import { nativeAuthority, openSource } from '#events';
import type { Subject } from '#events/core';
import type { FetchedRecord } from '#kafka';

import type { SourceSample } from '../samples/read-records.js';
import { readSourceRecords } from '../samples/read-records.js';
import type { NamedSource, SampleSources } from '../samples/source-of-sample.js';
import { judgeMapped } from './judge-mapped.js';
import type { JudgeContext, Judgement } from './judge-sample.js';
import { judgeSample, judgeTopicRecord, refusal } from './judge-sample.js';
import { readRecord } from './read-record.js';
import type { Sample } from './read-samples.js';
import { FileProblem, readSamples } from './read-samples.js';
import type { FileReport, SampleReport } from './report.js';
import type { SaleDays } from './sale-days.js';

/** The sources of a programs file, each opened when a record of it comes. */
export class LintSources {
  private readonly opened = new Map<string, TopicSource>();

  constructor(
    readonly of: SampleSources,
    private readonly callOf: NonNullable<JudgeContext['callOf']>,
    private readonly openFormat: OpenFormat,
  ) {}

  judge(sample: Omit<SourceSample, 'line'>, context: JudgeContext): Promise<Judgement> {
    const { source } = sample;
    const withCalls = { ...context, callOf: this.callOf };
    return judgeMapped(sample, source, this.open(source), withCalls);
  }

  private open({ name, declared }: NamedSource): TopicSource {
    const opened = this.opened.get(name) ?? openSource(name, declared, this.openFormat);
    this.opened.set(name, opened);
    return opened;
  }
}

interface LintContext {
  readonly programs: ProgramsFile | null;
  /** Absent: every sample is an event of ours. */
  readonly sources?: LintSources;
  readonly days?: SaleDays;
  readonly stdin: AsyncIterable<Buffer>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Every sample of a file with its judgement; the file's own problem, where it has one, comes last. */
export async function* lintFile(file: string, context: LintContext): AsyncGenerator<SampleReport | FileReport, void> {
  try {
    const { sources } = context;
    const ofSource = sources === undefined ? null : await readSourceRecords(file, sources.of, context.stdin);
    if (sources !== undefined && ofSource !== null) {
      for (const sample of ofSource) yield { file, line: sample.line, ...(await judgeOf(sample, sources, context)) };
      return;
    }
    for (const sample of await readSamples(file, context.stdin)) {
      yield { file, line: sample.line, ...judge(sample, context) };
    }
  } catch (error) {
    yield { file, problem: problemOf(error) };
  }
}

/** Something that a format needs may be away: nobody can say anything of its records then. */
function problemOf(error: unknown): string {
  const isTold = error instanceof FileProblem || (error instanceof Error && error.name === 'UnavailableError');
  if (isTold) return error.message;
  throw error;
}

type ReadSample = NonNullable<Awaited<ReturnType<typeof readSourceRecords>>>[number];

async function judgeOf(sample: ReadSample, sources: LintSources, context: LintContext): Promise<Judgement> {
  if ('detail' in sample) return refusal('unreadable', sample.detail);
  return sources.judge(sample, { ...context, now: context.clock() });
}

function judge({ bytes }: Sample, context: LintContext): Judgement {
  const read = readRecord(bytes);
  if (!read.ok) return refusal('unreadable', read.detail);
  return judgeSample(read.record, { ...context, now: context.clock() });
}

interface TopicContext extends Pick<LintContext, 'programs' | 'sources' | 'days' | 'clock'> {
  readonly kafka: KafkaEnvironment;
  readonly topic: string;
  readonly last: number;
}

/** As `lintFile`, of the newest records of a topic: the file is `topic/partition`, the line the offset. */
export async function* lintTopic(context: TopicContext): AsyncGenerator<SampleReport | FileReport, void> {
  const { kafka, topic, last, programs, sources, days, clock } = context;
  const { readTopic } = await import('./read-topic.js');
  const { members, purchases, rewards } = kafka.topics;
  const native = Object.entries({ members, purchases, rewards }).find(([, name]) => name === topic);
  const authority = native === undefined ? null : nativeAuthority(native[0] as Subject);
  const source = sources?.of.ofTopic(topic) ?? null;
  try {
    for await (const record of readTopic({ kafka, topic, last })) {
      const judging = { programs, authority, ...(days && { days }), now: clock() };
      const judged =
        sources === undefined || source === null
          ? judgeTopicRecord(record, judging)
          : await judgeFetched(record, { sources, source, topic }, judging);
      yield { file: `${topic}/${record.partition}`, line: record.offset, ...judged };
    }
  } catch (error) {
    yield { file: topic, problem: error instanceof Error ? error.message : 'cannot be read' };
  }
}

interface OfTopic {
  readonly sources: LintSources;
  readonly source: NamedSource;
  readonly topic: string;
}

async function judgeFetched(record: FetchedRecord, { sources, source, topic }: OfTopic, context: JudgeContext) {
  const { undecoded, key, value, headers, brokerAt: timestampMs } = record;
  if (undecoded !== undefined) return refusal(undecoded.reason, undecoded.detail);
  const keyText = key === null ? null : Buffer.from(key).toString();
  return sources.judge({ source, topic, key: keyText, headers: headers ?? {}, value, timestampMs }, context);
}
