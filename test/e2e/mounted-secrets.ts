import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder of files as Kubernetes mounts a Secret: each name is a link into `..data`, itself a link to a folder that is
 * never written to again. A change is a new folder and one move of that link.
 */
export class MountedSecrets {
  private generation = 0;

  private constructor(
    private readonly folder: string,
    private content: Readonly<Record<string, string>>,
  ) {}

  static async mount(content: Readonly<Record<string, string>>): Promise<MountedSecrets> {
    const secrets = new MountedSecrets(await mkdtemp(join(tmpdir(), 'loyaltyd-secrets-')), content);
    await secrets.change({});
    for (const name of Object.keys(content)) await symlink(`..data/${name}`, secrets.path(name));
    return secrets;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** All at once. */
  async change(changes: Readonly<Record<string, string>>): Promise<void> {
    const [old, next] = [`..generation-${this.generation}`, `..generation-${(this.generation += 1)}`];
    this.content = { ...this.content, ...changes };
    await mkdir(this.path(next));
    for (const [name, text] of Object.entries(this.content)) await writeFile(join(this.folder, next, name), text);
    await symlink(next, this.path('..data_tmp'));
    await rename(this.path('..data_tmp'), this.path('..data'));
    await rm(this.path(old), { recursive: true, force: true });
  }

  async unmount(): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
