import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, stat, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import type { Instruction, ModifiableInstruction } from 'dockerfile-ast';
import { DockerfileParser } from 'dockerfile-ast';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** One instruction with its build arguments filled in. */
interface Step {
  readonly keyword: string;
  /** Words behind the flags; for a shell form joined by blanks they are the command. */
  readonly words: readonly string[];
  /** The value of `--from`, if it has one. */
  readonly from: string | null;
}

/** From one FROM to the next. */
interface Stage {
  readonly name: string;
  /** An earlier stage, or an image from elsewhere. */
  readonly base: string;
  readonly steps: readonly Step[];
}

export const dockerfileText = (): string => readFileSync(join(projectRoot, 'deploy/docker/Dockerfile'), 'utf8');

const isModifiable = (instruction: Instruction): instruction is ModifiableInstruction => 'getFlags' in instruction;

function stepOf(instruction: Instruction, fill: (text: string) => string): Step {
  const flags = isModifiable(instruction) ? instruction.getFlags() : [];
  const from = flags.find((flag) => flag.getName() === 'from')?.getValue() ?? null;
  const words = instruction.getArguments().map((argument) => fill(argument.getValue()));
  return { keyword: instruction.getKeyword(), words, from };
}

/** The stages of the image's Dockerfile, in order. */
export function readStages(): readonly Stage[] {
  const dockerfile = DockerfileParser.parse(dockerfileText());
  const globals = new Map(
    dockerfile.getInitialARGs().map((arg) => [arg.getProperty()?.getName(), arg.getProperty()?.getValue()]),
  );
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => globals.get(name) ?? whole);
  const stages: { name: string; base: string; steps: Step[] }[] = [];
  for (const instruction of dockerfile.getInstructions()) {
    const step = stepOf(instruction, fill);
    if (step.keyword === 'FROM') stages.push({ name: step.words[2] ?? '', base: step.words[0] ?? '', steps: [] });
    else stages.at(-1)?.steps.push(step);
  }
  return stages;
}

/** The words of an exec form, `["node", "x.js"]`. */
export function execForm(step: Step | undefined): readonly string[] {
  return step === undefined ? [] : (JSON.parse(step.words.join(' ')) as string[]);
}

const run = promisify(execFile);
const commandTimeoutMs = 300_000;

/** What a target of the Dockerfile comes to, in a folder that stands for its root. */
export interface PlayedImage {
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  /** In shell form. */
  readonly healthcheck: string;
  /** Commands that would change the machine itself. */
  readonly notPlayed: readonly string[];
}

type Mutable = { -readonly [Key in keyof PlayedImage]: PlayedImage[Key] };

const ignored = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const endings = ignored.filter((line) => line.startsWith('**/*')).map((line) => line.slice('**/*'.length));

const isSent = (path: string): boolean => allowed.some((entry) => path === entry || path.startsWith(`${entry}/`));
const isLeftOut = (path: string): boolean => endings.some((ending) => path.endsWith(ending));

/** What the build context sends of a file or folder. */
async function copyContext(source: string, target: string): Promise<void> {
  const isFolder = (await stat(source)).isDirectory();
  const into = isFolder || !target.endsWith('/') ? target : join(target, basename(source));
  await cp(source, into, { recursive: true, verbatimSymlinks: true, filter: (path) => !isLeftOut(path) });
}

/** Plays the Dockerfile without an engine: its COPY and RUN happen in folders, with this machine's Node and npm. */
export class DockerfilePlayer {
  private readonly stages = readStages();
  private readonly played = new Map<string, Mutable>();

  /** @param folder where each stage gets a folder; an installation of everything is not made anew but linked */
  constructor(private readonly folder: string) {}

  async play(target: string): Promise<PlayedImage> {
    const done = this.played.get(target);
    if (done !== undefined) return done;
    const stage = this.stages.find(({ name }) => name === target);
    if (stage === undefined) throw new Error(`the Dockerfile has no target ${target}`);
    const image = await this.begin(stage);
    for (const step of stage.steps) await this.take(step, image);
    this.played.set(target, image);
    return image;
  }

  private async begin({ name, base }: Stage): Promise<Mutable> {
    const root = join(this.folder, name);
    await mkdir(root, { recursive: true });
    const empty = { root, workdir: '/', env: {}, user: 'root', command: [], healthcheck: '', notPlayed: [] };
    if (!this.stages.some((stage) => stage.name === base)) return empty;
    const parent = await this.play(base);
    await run('cp', ['-al', `${parent.root}/.`, root]);
    return { ...parent, root };
  }

  private async take(step: Step, image: Mutable): Promise<void> {
    const { keyword, words } = step;
    if (keyword === 'WORKDIR') await this.enter(words[0] ?? '/', image);
    else if (keyword === 'COPY') await this.copyInto(step, image);
    else if (keyword === 'RUN') await this.runIn(words.join(' '), image);
    else remember(step, image);
  }

  private async enter(path: string, image: Mutable): Promise<void> {
    image.workdir = path;
    await mkdir(join(image.root, path), { recursive: true });
  }

  private async copyInto({ words, from }: Step, image: Mutable): Promise<void> {
    const source = from === null ? projectRoot : (await this.play(from)).root;
    const to = words.at(-1) ?? '';
    const target = to.startsWith('/') ? join(image.root, to) : join(image.root, image.workdir, to);
    for (const path of words.slice(0, -1)) {
      if (from === null && !isSent(path)) throw new Error(`.dockerignore keeps ${path} out of the build`);
      if (from === null) await copyContext(join(source, path), target);
      else await run('cp', ['-al', join(source, path), target]);
    }
  }

  private async runIn(command: string, image: Mutable): Promise<void> {
    const cwd = join(image.root, image.workdir);
    if (/(^|\s)\/(?!app\b)/.test(command)) image.notPlayed = [...image.notPlayed, command];
    else if (/^npm ci (?!.*--omit=dev)/.test(command)) {
      await symlink(join(projectRoot, 'node_modules'), join(cwd, 'node_modules'));
    } else await run('sh', ['-c', command], { cwd, timeout: commandTimeoutMs });
  }
}

function remember(step: Step, image: Mutable): void {
  const { keyword, words } = step;
  if (keyword === 'USER') image.user = words[0] ?? '';
  if (keyword === 'ENV') {
    const pairs = words.map((word) => word.split('=', 2) as [string, string]);
    image.env = { ...image.env, ...Object.fromEntries(pairs) };
  }
  if (keyword === 'ENTRYPOINT') image.command = execForm(step);
  if (keyword === 'CMD') image.command = [...image.command, ...execForm(step)];
  if (keyword === 'HEALTHCHECK') image.healthcheck = words.slice(1).join(' ');
}
