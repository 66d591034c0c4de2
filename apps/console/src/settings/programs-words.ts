import type { Answer } from '../api/api-types.js';

export type ProgramsStatus = Answer<'/reload'>;
export type ReloadResult = Answer<'/reload', 'post'>;
export type ProgramsLoad = Answer<'/programs'>['loads'][number];
type Programs = Pick<ProgramsStatus, 'processes' | 'agree'>;

const shownChars = 12;

/** Enough of a hash to compare it by eye. */
export const shortHash = (hash: string): string => hash.slice(0, shownChars);

/** The files that processes work by, the most used first. */
export function filesInUse({
  processes,
}: Programs): readonly { readonly hash: string; readonly hosts: readonly string[] }[] {
  const alive = processes.filter((process) => process.alive);
  const hashes = [...new Set(alive.map(({ hash }) => hash))];
  return hashes
    .map((hash) => ({ hash, hosts: alive.filter((process) => process.hash === hash).map(({ host }) => host) }))
    .toSorted((a, b) => b.hosts.length - a.hosts.length);
}

/** In one sentence, what a reload has come to. */
export function reloadText({ changed, programs, problems, hash }: ReloadResult): string {
  const file = `${programs.length} ${programs.length === 1 ? 'program' : 'programs'}, ${shortHash(hash)}`;
  const what = changed ? `Another file is in force now: ${file}.` : `The file was the same: ${file}.`;
  return problems.length === 0 ? what : `${what} Not followed: ${problems.join('; ')}.`;
}

/** As JSON, in one line. */
export const valueText = (value: unknown): string => JSON.stringify(value ?? null);

type ProgramsChange = NonNullable<ProgramsLoad['changes']>[number];

/** `from 1 to 2`, `is new: 2`, `is gone; it was 1`. */
export function changeText({ change, from, to }: ProgramsChange): string {
  switch (change) {
    case 'added':
      return `is new: ${valueText(to)}`;
    case 'removed':
      return `is gone; it was ${valueText(from)}`;
    case 'changed':
      return `from ${valueText(from)} to ${valueText(to)}`;
  }
}
