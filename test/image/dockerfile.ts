import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DockerfileParser, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';

export const projectRoot = resolve(import.meta.dirname, '../..');

/** One instruction with its build arguments filled in. */
export interface Step {
  readonly keyword: string;
  /** Words behind the flags; for a shell form joined by blanks they are the command. */
  readonly words: readonly string[];
  /** The value of `--from`, if it has one. */
  readonly from: string | null;
}

/** From one FROM to the next. */
export interface Stage {
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
