import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

const mute = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  // Ctrl-C: readline keeps it from the process, which is to end by it.
  lines.once('SIGINT', () => {
    lines.close();
    process.stderr.write('\n');
    process.kill(process.pid, 'SIGINT');
  });
  // Ctrl-D is an answer, too: none.
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question).catch(() => ''), closed]);
  } finally {
    lines.close();
  }
}

/** A line that a person types. */
export async function ask(question: string): Promise<string> {
  return answerTo(question, process.stderr);
}

/** A line that a person types, unseen. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const answer = await answerTo('', mute());
  process.stderr.write('\n');
  return answer;
}
