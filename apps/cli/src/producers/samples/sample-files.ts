import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands beside a sample, by its whole name and this: what came of it, kept to be compared. */
export const goldenSuffix = '.golden.json';
/** And this: key, headers, topic and time of a record whose value alone is the file. */
export const factsSuffix = '.record.json';

const isSample = (name: string): boolean =>
  !name.startsWith('.') && !name.endsWith(goldenSuffix) && !name.endsWith(factsSuffix);

/** Files as they were named; of a folder all samples below it, in the order of their names. What cannot be read stays, for who reads it. */
export async function sampleFiles(names: readonly string[]): Promise<string[]> {
  const all = await Promise.all(names.map(async (name) => ((await isFolder(name)) ? filesBelow(name) : [name])));
  return all.flat();
}

async function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sorted = entries
    .filter(({ name }) => isSample(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const found: string[] = [];
  for (const entry of sorted) {
    const path = join(folder, entry.name);
    found.push(...(entry.isDirectory() ? await filesBelow(path) : [path]));
  }
  return found;
}
