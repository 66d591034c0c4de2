import { readFile, writeFile } from 'node:fs/promises';

import { goldenSuffix } from '../samples/sample-files.js';
import { asFileProblem } from './read-samples.js';
import type { SampleReport } from './report.js';

/** What came of the samples of a file, beside what was kept of it. */
type GoldenResult = 'none' | 'same' | 'differs' | 'written';

/** What is kept: no warnings, for some depend on when it is looked at, and no place. */
function kept({ file: _file, warnings: _warnings, ...report }: SampleReport): unknown {
  return report;
}

/**
 * Compares what came of a file's samples with what stands beside it, or writes that.
 * @throws {FileProblem} where it is there and cannot be read or written
 */
export async function compareGolden(
  file: string,
  reports: readonly SampleReport[],
  isUpdate: boolean,
): Promise<GoldenResult> {
  const path = `${file}${goldenSuffix}`;
  const text = `${JSON.stringify(reports.map(kept), null, 2)}\n`;
  try {
    const before = await readFile(path, 'utf8').catch(absent);
    if (before === text) return 'same';
    if (!isUpdate) return before === null ? 'none' : 'differs';
    await writeFile(path, text);
    return 'written';
  } catch (error) {
    throw asFileProblem(error);
  }
}

function absent(error: unknown): null {
  if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
  throw error;
}
