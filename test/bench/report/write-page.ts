import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { BenchReport } from './bench-report.js';
import { pageOf } from './page.js';

/** Beside the working directory's other documents: npm starts scripts in the package's folder. */
const pagePath = 'docs/performance.md';

/** Replaces the page, formatted as the check wants it. */
export const writePage = async (report: BenchReport): Promise<void> => {
  const path = resolve(pagePath);
  const config = await resolveConfig(path);
  await writeFile(path, await format(pageOf(report), { ...config, filepath: path }));
};
