import type { Terminal } from '../terminal/terminal.js';
import { ReaderGone } from '../terminal/terminal.js';

export interface PlayedTerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard output and standard error are a screen. */
  readonly isScreen?: boolean;
  /** What the person answers, one after the other; without any nobody is there. */
  readonly answers?: readonly string[];
  readonly input?: string;
  /** The reader of standard output goes away after so many writes. */
  readonly readsMax?: number;
}

export interface PlayedTerminal extends Terminal {
  stdout(): string;
  stderr(): string;
}

/** A terminal that a test reads and answers for. */
export function playedTerminal(options: PlayedTerminalOptions = {}): PlayedTerminal {
  const { env = {}, isScreen = false, answers, input = '', readsMax = Infinity } = options;
  const [printed, told]: [string[], string[]] = [[], []];
  const left = [...(answers ?? [])];
  const answer = async (question: string): Promise<string> => {
    told.push(`${question}\n`);
    const next = left.shift();
    if (next === undefined) throw new Error(`nobody answers: ${question}`);
    return next;
  };
  return {
    env,
    isOutputSeen: isScreen,
    isErrorSeen: isScreen,
    isInteractive: answers !== undefined,
    print: async (text) => {
      if (printed.length >= readsMax) throw new ReaderGone();
      printed.push(text);
    },
    tell: (line) => void told.push(`${line}\n`),
    retell: (line, isLast) => void told.push(`\r${line}${isLast ? '\n' : ''}`),
    ask: answer,
    askSecret: answer,
    onInterrupt: () => () => undefined,
    readInput: async () => Buffer.from(input),
    stdout: () => printed.join(''),
    stderr: () => told.join(''),
  };
}
