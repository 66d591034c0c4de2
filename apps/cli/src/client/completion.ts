import type { Command, Option } from 'commander';

/** A flag of a command, as completion needs it. */
interface FlagWords {
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
interface CommandWords {
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
function valueFlags(commands: readonly CommandWords[]): string[] {
  const flags = commands.flatMap((command) => command.flags.filter(({ takesValue }) => takesValue));
  return [...new Set(flags.flatMap(({ spellings }) => spellings))].sort();
}

/** A word that bash and zsh take as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Where a flag's value comes next, as `case` patterns joined by `|`, by what is offered there. */
function placesByAction(
  commands: readonly CommandWords[],
  actionOf: (flag: FlagWords) => string,
): { readonly action: string; readonly places: string }[] {
  const places = commands.flatMap(({ at, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .flatMap((flag) => flag.spellings.map((spelling) => ({ place: quoted(`${at}:${spelling}`), flag }))),
  );
  const byAction = Map.groupBy(places, ({ flag }) => actionOf(flag));
  return [...byAction].map(([action, group]) => ({ action, places: group.map(({ place }) => place).join('|') }));
}

/** What follows a flag, as a line of bash. */
function bashAction({ values, isFile }: FlagWords): string {
  if (isFile) return 'COMPREPLY=($(compgen -f -- "$cur"))';
  return values === null ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur"))`;
}

/** `case` branches for the word before; flags with the same values share one. */
function bashValueBranches(commands: readonly CommandWords[]): string {
  return placesByAction(commands, bashAction)
    .map(({ action, places }) => `    ${places})\n      ${action}\n      return ;;\n`)
    .join('');
}

function bashCommandBranches(commands: readonly CommandWords[]): string {
  const places = commands.filter(({ at }) => at !== '').map(({ at }) => quoted(at));
  return `      ${places.join('|')}) at="$next" ;;\n`;
}

function bashWordBranches(commands: readonly CommandWords[]): string {
  return commands
    .map(({ at, commands: children, flags, values }) => {
      const names = [...children.map(({ name }) => name), ...(values ?? [])];
      const spellings = flags.flatMap((flag) => flag.spellings);
      return `    ${quoted(at)}) words=${quoted(names.join(' '))} flags=${quoted(spellings.join(' '))} ;;\n`;
    })
    .join('');
}

/** A script for bash, from 3.2 on, that needs nothing but bash. */
function bashScript(commands: readonly CommandWords[]): string {
  return `# bash completion of loyaltyd; source it, or put it where bash-completion looks for scripts
_loyaltyd() {
  local cur prev at='' next word words='' flags='' i
  COMPREPLY=()
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes "--output=json" for three words
  if [ "$cur" = '=' ]; then
    cur=''
  elif [ "$prev" = '=' ]; then
    prev="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${valueFlags(commands).join('|')})
        ((i++))
        [ "\${COMP_WORDS[i]}" = '=' ] && ((i++))
        continue ;;
    esac
    next="\${at:+$at }$word"
    case "$next" in
${bashCommandBranches(commands)}    esac
  done
  case "$at:$prev" in
${bashValueBranches(commands)}  esac
  case "$at" in
${bashWordBranches(commands)}  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _loyaltyd loyaltyd
`;
}

/** `name:description`, where a colon within the name is escaped. */
function zshDescribed(name: string, description: string): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${description}`);
}

function zshAction({ values, isFile }: FlagWords): string {
  if (isFile) return '_files';
  return values === null ? '_message value' : `compadd -- ${values.map(quoted).join(' ')}`;
}

function zshValueBranches(commands: readonly CommandWords[]): string {
  return placesByAction(commands, zshAction)
    .map(({ action, places }) => `    ${places}) ${action}; return ;;\n`)
    .join('');
}

function zshWordBranches(commands: readonly CommandWords[]): string {
  return commands
    .map(({ at, commands: children, flags, values }) => {
      const names = children.map(({ name, description }) => zshDescribed(name, description));
      const plain = (values ?? []).map(quoted);
      const spellings = flags.flatMap((flag) => flag.spellings.map((each) => zshDescribed(each, flag.description)));
      return `    ${quoted(at)})\n      names=(${[...names, ...plain].join(' ')})\n      flags=(${spellings.join(' ')}) ;;\n`;
    })
    .join('');
}

/** A script for zsh that needs its completion system to be loaded (\`compinit\`). */
function zshScript(commands: readonly CommandWords[]): string {
  const places = commands.filter(({ at }) => at !== '').map(({ at }) => quoted(at));
  return `#compdef loyaltyd
# zsh completion of loyaltyd; put it in a folder of $fpath as _loyaltyd, or source it after compinit
_loyaltyd() {
  local at='' next word i
  local -a names flags
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$word" in
      ${valueFlags(commands).join('|')}) ((i++)); continue ;;
    esac
    next="\${at:+$at }$word"
    case "$next" in
      ${places.join('|')}) at="$next" ;;
    esac
  done
  case "$at:\${words[CURRENT-1]}" in
${zshValueBranches(commands)}  esac
  case "$at" in
${zshWordBranches(commands)}  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o 'flag' flags
  elif (( \${#names} )); then
    _describe 'command' names
  else
    _files
  fi
}
if [ "$funcstack[1]" = '_loyaltyd' ]; then
  _loyaltyd "$@"
else
  compdef _loyaltyd loyaltyd
fi
`;
}

/** Within single quotes fish knows two escapes. */
function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function spellingWords({ spellings }: FlagWords): string {
  return spellings
    .map((spelling) => (spelling.startsWith('--') ? `-l ${spelling.slice(2)}` : `-s ${spelling.slice(1)}`))
    .join(' ');
}

function valueWords({ takesValue, values, isFile }: FlagWords): string {
  if (!takesValue) return '';
  if (isFile) return ' -r -F';
  return values === null ? ' -x' : ` -x -a ${fishQuoted(values.join(' '))}`;
}

function fishLines({ at, commands, flags, values }: CommandWords): string {
  const start = `complete -c loyaltyd -n ${fishQuoted(`__loyaltyd_at "${at}"`)}`;
  const names = commands.map(({ name, description }) => `${start} -f -a ${name} -d ${fishQuoted(description)}\n`);
  const plain = values === null ? [] : [`${start} -f -a ${fishQuoted(values.join(' '))}\n`];
  const options = flags.map(
    (flag) => `${start} ${spellingWords(flag)}${valueWords(flag)} -d ${fishQuoted(flag.description)}\n`,
  );
  return [...names, ...plain, ...options].join('');
}

/** A script for fish, from 3.0 on. */
function fishScript(commands: readonly CommandWords[]): string {
  const places = commands.filter(({ at }) => at !== '').map(({ at }) => fishQuoted(at));
  return `# fish completion of loyaltyd; put it into ~/.config/fish/completions/loyaltyd.fish
function __loyaltyd_at --description 'Whether the words so far lead to this command'
    set -l at
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
        else if contains -- $word ${valueFlags(commands).join(' ')}
            set skip 1
        else if contains -- (string join ' ' -- $at $word) ${places.join(' ')}
            set -a at $word
        end
    end
    set -l path (string join ' ' -- $at)
    test "$path" = "$argv[1]"
end
${commands.map(fishLines).join('')}`;
}

type Shell = 'bash' | 'zsh' | 'fish';

const scripts: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The completion script of a shell for everything that a program can do. */
export function completionScript(program: Command, shell: Shell): string {
  return scripts[shell](describeProgram(program));
}
