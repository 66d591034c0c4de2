import { type Told } from './read-records.js';

/** Who has absorbed a member, by its name. */
export type Absorbers = ReadonlyMap<string, readonly string[]>;

const nameOf = (program: string, member: unknown): string => JSON.stringify([program, member]);

/** By what was told, taken back since or not. */
export function absorbersIn(events: Iterable<Told>): Absorbers {
  const absorbers = new Map<string, string[]>();
  for (const { kind, program, member, data } of events) {
    const { absorbed } = data;
    if (kind !== 'member.merged' || !Array.isArray(absorbed)) continue;
    for (const id of absorbed) {
      const name = nameOf(program, id);
      absorbers.set(name, [...(absorbers.get(name) ?? []), member]);
    }
  }
  return absorbers;
}

/** In whom a member lived on; one merge behind another. */
export function lives(program: string, member: string, absorbers: Absorbers): readonly string[] {
  const found = new Set<string>();
  for (let names = [member]; names.length > 0;) {
    const next = names.flatMap((name) => absorbers.get(nameOf(program, name)) ?? []);
    names = next.filter((name) => !found.has(name));
    for (const name of names) found.add(name);
  }
  return [...found];
}

/** An opt-out is of the card of each whom its member has absorbed, and is told and listed of each. */
export function isOfAbsorbed({ kind, program, member }: Told, of: string, absorbers: Absorbers): boolean {
  return kind === 'member.opted-out' && lives(program, of, absorbers).includes(member);
}
