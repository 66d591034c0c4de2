import type { CommandWords, FlagWords } from './describe-program.js';
import { valueFlags } from './describe-program.js';
import { placesByAction, quoted } from './shell-words.js';

/** What follows a flag, as a line of bash. */
function actionOf({ values, isFile }: FlagWords): string {
  if (isFile) return 'COMPREPLY=($(compgen -f -- "$cur"))';
  return values === null ? 'COMPREPLY=()' : `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur"))`;
}

/** `case` branches for the word before; flags with the same values share one. */
function valueBranches(commands: readonly CommandWords[]): string {
  return placesByAction(commands, actionOf)
    .map(({ action, places }) => `    ${places})\n      ${action}\n      return ;;\n`)
    .join('');
}

function commandBranches(commands: readonly CommandWords[]): string {
  const places = commands.filter(({ at }) => at !== '').map(({ at }) => quoted(at));
  return `      ${places.join('|')}) at="$next" ;;\n`;
}

function wordBranches(commands: readonly CommandWords[]): string {
  return commands
    .map(({ at, commands: children, flags, values }) => {
      const names = [...children.map(({ name }) => name), ...(values ?? [])];
      const spellings = flags.flatMap((flag) => flag.spellings);
      return `    ${quoted(at)}) words=${quoted(names.join(' '))} flags=${quoted(spellings.join(' '))} ;;\n`;
    })
    .join('');
}

/** A script for bash, from 3.2 on, that needs nothing but bash. */
export function bashScript(commands: readonly CommandWords[]): string {
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
${commandBranches(commands)}    esac
  done
  case "$at:$prev" in
${valueBranches(commands)}  esac
  case "$at" in
${wordBranches(commands)}  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
}
complete -o default -F _loyaltyd loyaltyd
`;
}
