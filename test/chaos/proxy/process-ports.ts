import { readdir, readFile, readlink } from 'node:fs/promises';

/** The local TCP ports of a process' connections, by /proc; null where the system has no such thing. */
export async function processPorts(pid: number): Promise<ReadonlySet<number> | null> {
  const inodes = await socketInodes(pid);
  if (inodes === null) return null;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const ports = new Set<number>();
  for (const line of tables.join('\n').split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (inodes.has(fields[9] ?? '')) ports.add(Number.parseInt(fields[1]?.split(':').at(-1) ?? '0', 16));
  }
  return ports;
}

async function socketInodes(pid: number): Promise<ReadonlySet<string> | null> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const links = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => '')));
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
