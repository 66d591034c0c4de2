/** A file that cannot be read; the message says why and goes behind the file's name. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

const wordings: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
};

/** @returns what the system said, in words */
export function asFileProblem(error: unknown): FileProblem {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (typeof code !== 'string') return new FileProblem('cannot be read', { cause: error });
  return new FileProblem(wordings[code] ?? `cannot be read (${code})`, { cause: error });
}

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** How files begin that are no UTF-8 text. */
const foreign: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'is UTF-16; save it as UTF-8'],
  [[0xfe, 0xff], 'is UTF-16; save it as UTF-8'],
  [[0x1f, 0x8b], 'is compressed by gzip; unpack it first'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'is compressed by zstd; unpack it first'],
  [[0x50, 0x4b, 0x03, 0x04], 'is a zip archive; unpack it first'],
];

/** So many bytes tell what a file is. */
export const markBytesMax = 4;

/** The first bytes of a text without its byte order mark. @throws {FileProblem} for what is not UTF-8 by its first bytes */
export function withoutMark(bytes: Buffer): Buffer {
  for (const [start, problem] of foreign) {
    if (bytes.subarray(0, start.length).equals(Buffer.from(start))) throw new FileProblem(problem);
  }
  return bytes.subarray(0, utf8Mark.length).equals(utf8Mark) ? bytes.subarray(utf8Mark.length) : bytes;
}
