import { open, rename, rm } from 'node:fs/promises';

import { CommandFailure } from '../../command-line/command-failure.js';
import type { Terminal } from '../terminal/terminal.js';

/** Where an export goes. */
export interface Sink {
  write(text: string): Promise<void>;
  end(): Promise<void>;
  abandon(): Promise<void>;
}

export function outputSink(terminal: Terminal): Sink {
  return { write: (text) => terminal.print(text), end: async () => undefined, abandon: async () => undefined };
}

/** A file that has its name only when it is whole; for this user alone. @throws {CommandFailure} */
export async function fileSink(path: string): Promise<Sink> {
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600).catch((error: unknown) => {
    throw new CommandFailure(
      `${draft} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    );
  });
  return {
    write: async (text) => {
      await file.writeFile(text);
    },
    end: async () => {
      await file.sync();
      await file.close();
      await rename(draft, path);
    },
    abandon: async () => {
      await file.close();
      await rm(draft, { force: true });
    },
  };
}
