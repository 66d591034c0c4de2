import type { CommandWords, FlagWords } from './describe-program.js';
import { valueFlags } from './describe-program.js';

/** Within single quotes fish knows two escapes. */
function quoted(text: string): string {
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
  return values === null ? ' -x' : ` -x -a ${quoted(values.join(' '))}`;
}

function linesOf({ at, commands, flags, values }: CommandWords): string {
  const start = `complete -c loyaltyd -n ${quoted(`__loyaltyd_at "${at}"`)}`;
  const names = commands.map(({ name, description }) => `${start} -f -a ${name} -d ${quoted(description)}\n`);
  const plain = values === null ? [] : [`${start} -f -a ${quoted(values.join(' '))}\n`];
  const options = flags.map(
    (flag) => `${start} ${spellingWords(flag)}${valueWords(flag)} -d ${quoted(flag.description)}\n`,
  );
  return [...names, ...plain, ...options].join('');
}

/** A script for fish, from 3.0 on. */
export function fishScript(commands: readonly CommandWords[]): string {
  const places = commands.filter(({ at }) => at !== '').map(({ at }) => quoted(at));
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
${commands.map(linesOf).join('')}`;
}
