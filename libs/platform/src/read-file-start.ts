import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/**
 * A file that somebody else has written: at most so many bytes of it, and one more where it is longer, by which its reader
 * sees that. @throws what the system says
 */
export async function readFileStart(path: string, bytesMax: number): Promise<Buffer> {
  return buffer(createReadStream(path, { end: bytesMax }));
}
