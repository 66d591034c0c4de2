import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

import type { Environment, EnvironmentParts } from '#contracts';
import { readEnvironmentParts } from '#contracts';
import { SafeError } from '#platform';

/** How often the files are looked at. A change counts when the next look finds it the same: within twice that. */
export const followMs = 2_000;

type Variables = Readonly<Record<string, string | undefined>>;
/** What files hold, by path; null: cannot be read. */
type Texts = ReadonlyMap<string, string | null>;

/** What followed files hold, by path. */
type FileTexts = ReadonlyMap<string, string>;

/** What a file holds cannot be used now, for a reason that may pass without a change of the file. */
export class NotUsableYetError extends SafeError {
  override readonly name = 'NotUsableYetError';
}

/** Why what a variable's file holds now cannot be used, or null. May reject: then it is asked again, and the other files are followed; by a `NotUsableYetError` the file counts as broken meanwhile. */
export type FileGuard = (next: Environment) => Promise<string | null>;

/** What was taken over, and what cannot be used, with the reason. Both by the variables that name the files. */
export interface FileNews {
  readonly changed: readonly string[];
  readonly broken: ReadonlyMap<string, string>;
}

export type OpenedEnvironment =
  { readonly ok: true; readonly live: LiveEnvironment } | { readonly ok: false; readonly errors: readonly string[] };

function isSame(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

/** More than any secret or list of authorities: what is larger is another file. */
const followedFileBytesMax = 1_048_576;

/** What a file holds now; null where it is not there, cannot be read, or is no file of that kind. */
async function readFollowedFile(path: string): Promise<string | null> {
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

/**
 * The environment, with what its files hold now: secrets (`NAME_FILE`) and certificates. They are read again and again,
 * and taken over once two looks at all of them found the same, so that what belongs together is never mixed and half a
 * file is not read as a whole one. Kubernetes replaces a folder of them at once by moving a symbolic link; nobody watches
 * inodes here, so it makes no difference. What cannot be used leaves the last good value in force.
 */
export class LiveEnvironment {
  private taken: FileTexts;
  private seen: Texts;
  /** Null: a guard could not decide, and is asked again. */
  private judged: Texts | null;
  private problems: ReadonlyMap<string, string> = new Map();
  private readonly guards = new Map<string, FileGuard>();

  private constructor(
    readonly variables: Variables,
    private parts: EnvironmentParts,
    texts: FileTexts,
  ) {
    this.taken = texts;
    this.seen = texts;
    this.judged = texts;
  }

  /** Reads everything for the first time: errors found now end the start. */
  static open(variables: Variables): OpenedEnvironment {
    const texts = new Map<string, string>();
    const readFile = (path: string): string => {
      const text = readFileSync(path, 'utf8');
      texts.set(path, text);
      return text;
    };
    const parts = readEnvironmentParts(variables, { readFile });
    if (parts.errors.length > 0) return { ok: false, errors: parts.errors };
    return { ok: true, live: new LiveEnvironment(variables, parts, texts) };
  }

  /** In force now. */
  get current(): Environment {
    return this.parts.value;
  }

  /** The variables whose files are followed. */
  get followed(): readonly string[] {
    return [...this.parts.files.keys()];
  }

  /** By variable, why its file cannot be used now. */
  get broken(): ReadonlyMap<string, string> {
    return this.problems;
  }

  /** Asked before a change of that variable's file is taken over. */
  guard(variable: string, check: FileGuard): void {
    this.guards.set(variable, check);
  }

  /** Reads the files once. @returns what is new, or null. Rejects with what a guard rejected with, if nothing is new */
  async look(): Promise<FileNews | null> {
    const seen = new Map<string, string | null>();
    for (const path of new Set(this.parts.files.values())) seen.set(path, await readFollowedFile(path));
    const isStill = isSame(seen, this.seen);
    this.seen = seen;
    if (!isStill || (this.judged !== null && isSame(seen, this.judged))) return null;
    return this.judge(seen);
  }

  private async judge(seen: Texts): Promise<FileNews | null> {
    const texts = new Map(this.taken);
    const broken = new Map<string, string>();
    for (const [variable, path] of this.parts.files) {
      const text = seen.get(path) ?? null;
      if (text === null) broken.set(variable, 'the file cannot be read');
      else texts.set(path, text);
    }
    this.refuseWrong(texts, broken);
    const undecided = await this.askGuards(texts, broken);
    const news = this.takeOver(texts, broken);
    // The values taken over now may let a guard decide: it may need the database, whose login has changed, too.
    this.judged = undecided.length === 0 ? seen : null;
    if (news === null) await Promise.all(undecided);
    return news;
  }

  private refuseWrong(texts: Map<string, string>, broken: Map<string, string>): void {
    for (const error of this.read(texts).errors) {
      const [, name = '', rule = ''] = /^(\w+): (.*)$/s.exec(error) ?? [];
      const variable = this.parts.files.has(name) ? name : `${name}_FILE`;
      if (this.keepFormer(variable, texts)) broken.set(variable, rule);
    }
  }

  /** @returns the rejections of guards that could not decide */
  private async askGuards(
    texts: Map<string, string>,
    broken: Map<string, string>,
  ): Promise<readonly Promise<unknown>[]> {
    const undecided: Promise<unknown>[] = [];
    for (const variable of this.guards.keys()) {
      const answer = this.objectionTo(variable, texts);
      const problem = await answer.catch((error: unknown) => {
        undecided.push(answer);
        this.keepFormer(variable, texts);
        return error instanceof NotUsableYetError ? error.message : (this.problems.get(variable) ?? null);
      });
      if (problem !== null && this.keepFormer(variable, texts)) broken.set(variable, problem);
    }
    return undecided;
  }

  /** Keeps the former value of a variable's file. @returns whether it has one */
  private keepFormer(variable: string, texts: Map<string, string>): boolean {
    const path = this.parts.files.get(variable);
    if (path !== undefined) texts.set(path, this.taken.get(path) ?? '');
    return path !== undefined;
  }

  /** The guard's objection to a change of a variable's file; null where it has not changed. */
  private async objectionTo(variable: string, texts: FileTexts): Promise<string | null> {
    const path = this.parts.files.get(variable);
    const check = this.guards.get(variable);
    if (path === undefined || check === undefined || texts.get(path) === this.taken.get(path)) return null;
    return check(this.read(texts).value);
  }

  private takeOver(texts: FileTexts, broken: ReadonlyMap<string, string>): FileNews | null {
    const isNews = !isSame(broken, this.problems);
    this.problems = broken;
    const { files } = this.parts;
    const changed = [...files].filter(([, path]) => texts.get(path) !== this.taken.get(path)).map(([name]) => name);
    if (changed.length > 0) {
      this.taken = texts;
      this.parts = this.read(texts);
    }
    return isNews || changed.length > 0 ? { changed, broken } : null;
  }

  private read(texts: FileTexts): EnvironmentParts {
    return readEnvironmentParts(this.variables, { readFile: (path) => texts.get(path) ?? '' });
  }
}
