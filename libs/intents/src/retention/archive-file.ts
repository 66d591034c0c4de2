import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

const manifestEnd = '.manifest.json';

/** A finished file: on disk, whatever happens to the machine. */
export interface FinishedFile {
  readonly file: string;
  readonly sha256: Uint8Array;
  readonly bytes: number;
  readonly lines: number;
}

/** A file of lines under a name of its own until it is whole. */
export class ArchiveFile {
  private readonly hash = createHash('sha256');
  private bytes = 0;
  private lines = 0;

  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly handle: FileHandle,
  ) {}

  /** @param name must not exist yet */
  static async open(folder: string, name: string): Promise<ArchiveFile> {
    await mkdir(folder, { recursive: true });
    return new ArchiveFile(folder, name, await open(join(folder, `${name}.partial`), 'wx', 0o600));
  }

  async add(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    const text = Buffer.from(`${lines.join('\n')}\n`, 'utf8');
    this.hash.update(text);
    this.bytes += text.length;
    this.lines += lines.length;
    await this.handle.appendFile(text);
  }

  /** From now on it is there, and stays. */
  async finish(): Promise<FinishedFile> {
    await this.handle.sync();
    await this.handle.close();
    await rename(join(this.folder, `${this.name}.partial`), join(this.folder, this.name));
    await syncFolder(this.folder);
    return { file: this.name, sha256: this.hash.digest(), bytes: this.bytes, lines: this.lines };
  }

  /** Also what is finished already, and what is said of it. */
  async discard(): Promise<void> {
    await this.handle.close();
    for (const end of ['.partial', '', manifestEnd]) {
      await rm(join(this.folder, `${this.name}${end}`), { force: true });
    }
  }
}

/** What a file beside the archive says of it: on disk when this is done. */
export async function writeManifest(folder: string, file: string, manifest: object): Promise<void> {
  const handle = await open(join(folder, `${file}${manifestEnd}`), 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await syncFolder(folder);
}

/** A name is only on disk once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
