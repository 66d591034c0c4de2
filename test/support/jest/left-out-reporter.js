const reasonOf = (title) => /\[skipped, ([^\]]+)\]/.exec(title)?.[1] ?? null;

/** Says at the end of a run what it left out, why, and so how to get it: nobody takes a skipped test for a passed one. */
export default class LeftOutReporter {
  /** Jest's own hook: results by file, each with its tests. */
  onRunComplete(_contexts, { testResults }) {
    const reasons = new Map();
    for (const { testResults: tests } of testResults) {
      for (const { status, fullName } of tests) {
        const reason = reasonOf(fullName);
        if (status === 'pending' && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    if (reasons.size === 0) return;
    const lines = [...reasons].map(([reason, count]) => `  ${count} x ${reason}`);
    process.stderr.write(`\nLeft out:\n${lines.join('\n')}\n`);
  }
}
