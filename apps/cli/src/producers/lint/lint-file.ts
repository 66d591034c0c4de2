import type { ProgramsFile } from '#contracts';

import { FileProblem } from './input/file-problem.js';
import { sampleBytesMax } from './input/raw-sample.js';
import { readRecord } from './input/read-record.js';
import { type ReadPart, readSamples } from './input/read-samples.js';
import { type Judgement, judgeSample, refusal } from './judge/judge-sample.js';
import type { SampleMemory, SamplePlace } from './judge/sample-memory.js';
import type { FileReport, SampleReport } from './report/sample-report.js';

export interface LintContext {
  readonly programs: ProgramsFile | null;
  readonly memory: SampleMemory;
  readonly stdin: AsyncIterable<Buffer>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Every sample of a file with its judgement; the file's own problem, where it has one, comes last. */
export async function* lintFile(file: string, context: LintContext): AsyncGenerator<SampleReport | FileReport, void> {
  try {
    for await (const part of readSamples(file, context.stdin)) {
      const place = { file, line: part.line };
      yield { ...place, ...judgePart(part, { ...context, place }) };
    }
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    yield { file, problem: error.message };
  }
}

function judgePart(part: ReadPart, context: LintContext & { readonly place: SamplePlace }): Judgement {
  if ('isCutOff' in part) return refusal('unreadable', '(the file): ends within its array');
  if (part.bytes === null) return refusal('unreadable', `(the sample): longer than ${sampleBytesMax} bytes`);
  const read = readRecord(part.bytes);
  if (!read.ok) return refusal('unreadable', read.detail);
  return judgeSample(read.record, { ...context, now: context.clock() });
}
