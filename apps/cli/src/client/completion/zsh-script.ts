import type { CommandWords, FlagWords } from './describe-program.js';
import { valueFlags } from './describe-program.js';
import { placesByAction, quoted } from './shell-words.js';

/** `name:description`, where a colon within the name is escaped. */
function described(name: string, description: string): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${description}`);
}

function actionOf({ values, isFile }: FlagWords): string {
  if (isFile) return '_files';
  return values === null ? '_message value' : `compadd -- ${values.map(quoted).join(' ')}`;
}

function valueBranches(commands: readonly CommandWords[]): string {
  return placesByAction(commands, actionOf)
    .map(({ action, places }) => `    ${places}) ${action}; return ;;\n`)
    .join('');
}

function wordBranches(commands: readonly CommandWords[]): string {
  return commands
    .map(({ at, commands: children, flags, values }) => {
      const names = children.map(({ name, description }) => described(name, description));
      const plain = (values ?? []).map(quoted);
      const spellings = flags.flatMap((flag) => flag.spellings.map((each) => described(each, flag.description)));
      return `    ${quoted(at)})\n      names=(${[...names, ...plain].join(' ')})\n      flags=(${spellings.join(' ')}) ;;\n`;
    })
    .join('');
}

/** A script for zsh that needs its completion system to be loaded (\`compinit\`). */
export function zshScript(commands: readonly CommandWords[]): string {
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
${valueBranches(commands)}  esac
  case "$at" in
${wordBranches(commands)}  esac
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
