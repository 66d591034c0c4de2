import type { ProgramsFile } from '#contracts';
import { topicPattern } from '#contracts';

import { wrongUsage } from '../command-line/command-failure.js';
import type { ProgramsPaths } from '../programs/load-programs.js';
import { loadPrograms } from '../programs/load-programs.js';

/** The files that `dev` was given. */
export interface OwnPaths extends ProgramsPaths {
  readonly sandboxSeed: string | null;
}

/** What a user has of their own, read once: the daemon reads it for itself, and follows it. */
export interface OwnHouse {
  readonly paths: ProgramsPaths;
  readonly file: ProgramsFile;
  /** Null: the sandbox has what the file names. */
  readonly seedFile: string | null;
}

const wordOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown };
  return `cannot be read (${typeof code === 'string' ? code : 'unknown'})`;
};

/** @throws {CommandFailure} with what is wrong in the files, before anything is started */
export async function openOwnHouse({ sandboxSeed, ...paths }: OwnPaths): Promise<OwnHouse> {
  const loaded = await loadPrograms(paths, wordOf);
  if (!loaded.ok) throw wrongUsage(loaded.problems.join('\n'));
  return { paths, file: loaded.programs, seedFile: sandboxSeed };
}

const topicsOf = (own: OwnHouse | null): string[] =>
  Object.values(own?.file.sources ?? {}).flatMap(({ topics }) => topics);

const isName = (topic: string): boolean => 'name' in (topicPattern(topic) ?? {});

/** Topics that sources name. */
export function namedTopics(own: OwnHouse | null): string[] {
  return topicsOf(own).filter(isName);
}

/** Patterns of topics, between slashes. */
export function topicPatterns(own: OwnHouse | null): string[] {
  return topicsOf(own).filter((topic) => !isName(topic));
}
