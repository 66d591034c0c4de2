import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/**
 * A file that somebody else has written: at most so many bytes of it, and one more where it is longer, by which its reader
 * sees that. @throws what the system says
 */
export async function readFileStart(path: string, bytesMax: number): Promise<Buffer> {
  return buffer(createReadStream(path, { end: bytesMax }));
}

/** What is named is no file: a folder, a pipe, a device. */
function noFile(): Error {
  return Object.assign(new Error('it is no file'), { code: 'no-file' });
}

/**
 * As `readFileStart`, and at once: what is no file, such as a pipe that nobody writes to, is refused instead of waited for.
 * @throws what the system says, or an error with the code `no-file`
 */
export function readFileStartSync(path: string, bytesMax: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw noFile();
    const bytes = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
