import type { CommandWords, FlagWords } from './describe-program.js';

/** A word that bash and zsh take as it is. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Where a flag's value comes next, as `case` patterns joined by `|`, by what is offered there. */
export function placesByAction(
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
