import { readAll } from './read-all.js';
import type { Terminal } from './terminal.js';
import { ReaderGone } from './terminal.js';

/** Goes to the first column and clears the line. */
const overwrite = '\r\u001b[K';
const columnsDefault = 80;
/** The shell's convention: 128 and the number of SIGINT. */
const exitInterrupted = 130;

function isSeen(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined) resolve();
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new ReaderGone() : error);
    });
  });
}

/** What could not be written is told by `write`, or to nobody: without a listener it would end the process. */
function survive(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  }
}

function onInterrupt(say: () => void): () => void {
  const interrupted = (): void => {
    say();
    process.exit(exitInterrupted);
  };
  process.once('SIGINT', interrupted);
  return () => process.off('SIGINT', interrupted);
}

/** The terminal, pipes or files that this process was started with. */
export function systemTerminal(): Terminal {
  survive();
  let isLineOpen = false;
  const tell = (line: string): void => {
    process.stderr.write(`${isLineOpen ? '\n' : ''}${line}\n`);
    isLineOpen = false;
  };
  return {
    env: process.env,
    isOutputSeen: isSeen(process.stdout),
    isErrorSeen: isSeen(process.stderr),
    isInteractive: isSeen(process.stdin) && isSeen(process.stderr),
    print: (text) => write(process.stdout, text),
    tell,
    retell: (line, isLast) => {
      const columns = process.stderr.columns || columnsDefault;
      process.stderr.write(`${overwrite}${line.slice(0, columns - 1)}${isLast ? '\n' : ''}`);
      isLineOpen = !isLast;
    },
    ask: async (question) => (await import('./ask.js')).ask(question),
    askSecret: async (question) => (await import('./ask.js')).askSecret(question),
    onInterrupt,
    readInput: (bytesMax) => readAll(process.stdin, bytesMax),
  };
}
