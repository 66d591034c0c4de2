import { relative } from 'node:path';

const slowestMax = 10;
/** Fewer files are looked at one by one anyway. */
const filesMin = 20;

const reasonOf = (title) => /\[skipped, ([^\]]+)\]/.exec(title)?.[1] ?? null;

/** Reasons with how often each holds. */
const leftOut = (files) => {
  const reasons = new Map();
  for (const { testResults: tests } of files) {
    for (const { status, fullName } of tests) {
      const reason = reasonOf(fullName);
      if (status === 'pending' && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  return [...reasons].map(([reason, count]) => `  ${count} x ${reason}`);
};

const slowest = (files, rootDir) => {
  if (files.length < filesMin) return [];
  const timed = files.map(({ testFilePath, perfStats: { start, end } }) => ({
    testFilePath,
    seconds: (end - start) / 1_000,
  }));
  return timed
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, slowestMax)
    .map(({ testFilePath, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${relative(rootDir, testFilePath)}`);
};

/**
 * Says at the end of a run which files cost the most, and what it left out, why, and so how to get it: nobody takes a
 * skipped test for a passed one.
 */
export default class EndOfRunReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  /** Jest's own hook: results by file, each with its tests. */
  onRunComplete(_contexts, { testResults }) {
    const parts = { Slowest: slowest(testResults, this.rootDir), 'Left out': leftOut(testResults) };
    for (const [title, lines] of Object.entries(parts)) {
      if (lines.length > 0) process.stderr.write(`\n${title}:\n${lines.join('\n')}\n`);
    }
  }
}
