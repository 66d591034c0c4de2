import { CommandFailure } from '../../command-line/command-failure.js';

/** A whole stream. @throws {CommandFailure} where it is longer than it may be */
export async function readAll(stream: AsyncIterable<unknown>, bytesMax: number): Promise<Buffer> {
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
