import { createReadStream } from 'node:fs';

import { apiDepthMax, decodeUtf8, exceedsDepth, readJsonText } from '#contracts/json';

import { CommandFailure, wrongUsage } from './command-failure.js';

/** Where a command's words go to and come from. A test has its own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard output is read by a person, not by a program. */
  readonly isOutputSeen: boolean;
  /** Standard error is read by a person. */
  readonly isErrorSeen: boolean;
  /** A person can answer. */
  readonly isInteractive: boolean;
  /** Writes to standard output; resolves when it is written. @throws {ReaderGone} */
  print(text: string): Promise<void>;
  /** Writes one line to standard error. */
  report(line: string): void;
  /** Writes to standard error over the line before, which the last one ends; only where `isErrorSeen`. */
  reportOver(line: string, isLast: boolean): void;
  /** Asks the person and waits for a line. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askSecret(question: string): Promise<string>;
  /** Has something said before Ctrl-C ends the process. @returns what takes that back */
  onInterrupt(say: () => void): () => void;
  /** All of standard input. @throws {CommandFailure} where it is longer */
  readInput(bytesMax: number): Promise<Buffer>;
}

/** The reader of our standard output has ended, as `head` does. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';

  constructor() {
    super('nobody reads the output any more');
  }
}

/** A command's exit code, handed over because Commander does not pass on what an action returns. */
export type Finish = (exitCode: number) => void;

/** What commands are run with. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly finish: Finish;
}

/** A line that a person types; unseen where it is a secret. Loads what it needs only now: most commands ask nothing. */
async function ask(question: string, isSecret: boolean): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write(isSecret ? question : '');
  const output = isSecret ? mute : process.stderr;
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
    return await Promise.race([lines.question(isSecret ? '' : question).catch(() => ''), closed]);
  } finally {
    lines.close();
    if (isSecret) process.stderr.write('\n');
  }
}

/** A whole stream. @throws {CommandFailure} where it is longer than it may be */
async function readAll(stream: AsyncIterable<unknown>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > bytesMax) throw new CommandFailure(`the input is longer than ${bytesMax} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

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

/** What could not be written is reported by `write`, or not at all: without a listener it would end the process. */
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
  const report = (line: string): void => {
    process.stderr.write(`${isLineOpen ? '\n' : ''}${line}\n`);
    isLineOpen = false;
  };
  return {
    env: process.env,
    isOutputSeen: isSeen(process.stdout),
    isErrorSeen: isSeen(process.stderr),
    isInteractive: isSeen(process.stdin) && isSeen(process.stderr),
    print: (text) => write(process.stdout, text),
    report,
    reportOver: (line, isLast) => {
      const columns = process.stderr.columns || columnsDefault;
      process.stderr.write(`${overwrite}${line.slice(0, columns - 1)}${isLast ? '\n' : ''}`);
      isLineOpen = !isLast;
    },
    ask: (question) => ask(question, false),
    askSecret: (question) => ask(question, true),
    onInterrupt,
    readInput: (bytesMax) => readAll(process.stdin, bytesMax),
  };
}

/** As large as a source record may be. */
const inputBytesMax = 1024 * 1024;

async function bytesOf(terminal: Terminal, file: string): Promise<Buffer> {
  if (file === '-') return terminal.readInput(inputBytesMax);
  try {
    return await readAll(createReadStream(file), inputBytesMax);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw wrongUsage(`--file: ${file} cannot be read (${code})`);
  }
}

/** The text of a file, or of standard input by `-`. @throws {CommandFailure} that does not quote it */
export async function inputText(terminal: Terminal, file: string): Promise<string> {
  const bytes = await bytesOf(terminal, file);
  const text = decodeUtf8(bytes);
  if (text === null) throw wrongUsage(`--file: ${file} is no UTF-8 text`);
  return text;
}

/** The JSON of a file, or of standard input by `-`. @throws {CommandFailure} that does not quote it */
export async function inputJson(terminal: Terminal, file: string): Promise<unknown> {
  const text = await inputText(terminal, file);
  const json = readJsonText(text, { depthMax: apiDepthMax });
  if (json !== undefined) return json;
  const isDeep = exceedsDepth(text, apiDepthMax);
  throw wrongUsage(`--file: ${file} ${isDeep ? `is nested deeper than ${apiDepthMax}` : 'is no JSON'}`);
}
