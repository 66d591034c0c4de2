import { stat } from 'node:fs/promises';

/** Changes whenever the file is written, or replaced as Kubernetes does; null where there is none. */
export async function fileSignature(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino}:${size}:${mtimeMs}`;
  } catch {
    return null;
  }
}
