/**
 * Viewers at a daemon's port, until this process is told to end: `readers-process ORIGIN QUESTIONS TOKEN...`. Each asks the
 * questions in turn, several at once and as fast as they are answered.
 */
const [origin = '', questionsText = '[]', ...tokens] = process.argv.slice(2);

const questions = JSON.parse(questionsText) as readonly string[];
/** Of each viewer: more than a daemon works on at once. */
const atOnce = 6;
const seen = new Map<string, number>();
const slowest = { ms: 0 };

const ask = async (token: string, first: number): Promise<void> => {
  for (let number = first; ; number += 1) {
    const begun = performance.now();
    const path = questions[number % questions.length] ?? '';
    const status = await fetch(`${origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return String(answer.status);
      },
      () => 'none',
    );
    seen.set(status, (seen.get(status) ?? 0) + 1);
    slowest.ms = Math.max(slowest.ms, performance.now() - begun);
  }
};

process.on('message', () =>
  process.send?.({ answers: Object.fromEntries(seen), slowestMs: slowest.ms }, () => undefined),
);
process.on('disconnect', () => process.exit(0));
for (const [index, token] of tokens.entries()) {
  for (let each = 0; each < atOnce; each += 1) void ask(token, index + each);
}
process.send?.({ ready: true });
