import type { Command, Option } from 'commander';

/** A flag of a command, as completion needs it. */
export interface FlagWords {
  /** `-o` and `--output`, or one of them. */
  readonly spellings: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** What may follow; null: anything. */
  readonly values: readonly string[] | null;
  /** What follows is a file. */
  readonly isFile: boolean;
}

/** A command, by the words that lead to it. */
export interface CommandWords {
  /** Such as `get intents`; nothing for `loyaltyd` itself. */
  readonly at: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly FlagWords[];
  /** What may follow without a flag; null: anything. */
  readonly values: readonly string[] | null;
}

const helpFlag: FlagWords = {
  spellings: ['-h', '--help'],
  description: 'display help for command',
  takesValue: false,
  values: null,
  isFile: false,
};

function flagOf({ short, long, description, required, optional, argChoices, flags }: Option): FlagWords {
  const spellings = [short, long].filter((spelling) => spelling !== undefined);
  const isFile = /[<[](?:file|folder)[>\]]/.test(flags);
  return { spellings, description, takesValue: required || optional, values: argChoices ?? null, isFile };
}

function wordsOf(command: Command, at: string): CommandWords {
  const [argument] = command.registeredArguments;
  const flags = command.options.filter(({ hidden }) => !hidden).map(flagOf);
  return {
    at,
    description: command.description(),
    commands: command.commands.map((child) => ({ name: child.name(), description: child.description() })),
    flags: [...flags, helpFlag],
    values: argument?.argChoices ?? null,
  };
}

/** Every command below one, itself first. */
export function describeProgram(command: Command, at = ''): CommandWords[] {
  const children = command.commands.flatMap((child) => describeProgram(child, `${at} ${child.name()}`.trim()));
  return [wordsOf(command, at), ...children];
}

/** All flags that take a value, of whatever command: the word after one is no command. */
export function valueFlags(commands: readonly CommandWords[]): string[] {
  const flags = commands.flatMap((command) => command.flags.filter(({ takesValue }) => takesValue));
  return [...new Set(flags.flatMap(({ spellings }) => spellings))].sort();
}
