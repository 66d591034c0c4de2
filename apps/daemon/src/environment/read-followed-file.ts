import { open } from 'node:fs/promises';

/** More than any secret or list of authorities: what is larger is another file. */
const followedFileBytesMax = 1_048_576;

/** What a file holds now; null where it is not there, cannot be read, or is no file of that kind. */
export async function readFollowedFile(path: string): Promise<string | null> {
  try {
    // A pipe given as a file (`<(...)`) can be read once, at the start; opened again it could wait for ever.
    const handle = await open(path, 'r');
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > followedFileBytesMax) return null;
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
