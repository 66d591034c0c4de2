import { dirname, join } from 'node:path';

type TextOf = (path: string) => string;

/** The file behind each name that begins with `#`, as package.json has them. */
const doorsIn = (manifest: string): ReadonlyMap<string, string> => {
  const { imports } = JSON.parse(manifest) as { readonly imports: Readonly<Record<string, Record<string, string>>> };
  return new Map(Object.entries(imports).map(([name, by]) => [name, join(by['loyaltyd-source'] ?? '')]));
};

/** Of a door as it stands: names in braces and declarations; `export *` gives what it names by nothing. */
const exportsOf = (text: string): number => {
  const named = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) => names.split(','));
  const declared = text.match(/^export (?:const|function|class|abstract|interface|type \w)/gm) ?? [];
  return named.filter((name) => name.trim() !== '').length + declared.length;
};

/** Where the names lead that a file imports at run time; types ask for no file. */
function importedBy(path: string, text: string, doors: ReadonlyMap<string, string>): readonly string[] {
  const statements = text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)';/gm);
  return [...statements].flatMap(([, name = '']) =>
    name.startsWith('.') ? [join(dirname(path), name.replace(/\.js$/, '.ts'))] : (doors.get(name) ?? []),
  );
}

/** How many files stand behind each other, the first one included; what is imported in a circle counts once. */
function longestChain(paths: readonly string[], textOf: TextOf): number {
  const doors = doorsIn(textOf('package.json'));
  const ours = new Set(paths);
  const known = new Map<string, number>();
  const lengthFrom = (path: string): number => {
    const length = known.get(path);
    if (length !== undefined) return length;
    known.set(path, 0);
    const found =
      1 +
      Math.max(
        0,
        ...importedBy(path, textOf(path), doors)
          .filter((one) => ours.has(one))
          .map(lengthFrom),
      );
    known.set(path, found);
    return found;
  };
  return Math.max(0, ...paths.map(lengthFrom));
}

/** How the house is put together. @param paths of source files, below the working directory */
export function measureHouse(paths: readonly string[], textOf: TextOf): Readonly<Record<string, number>> {
  const byDoor = [...doorsIn(textOf('package.json')).values()].map((path) => exportsOf(textOf(path)));
  const texts = paths.map(textOf);
  const all = (pattern: RegExp): number => texts.reduce((sum, text) => sum + (text.match(pattern)?.length ?? 0), 0);
  return {
    doors: byDoor.length,
    'exports of all doors': byDoor.reduce((sum, count) => sum + count, 0),
    'exports of the widest door': Math.max(...byDoor),
    '`@Injectable`': all(/^@Injectable\(/gm),
    '`useFactory`': all(/\buseFactory\b/g),
    'files in the longest import chain': longestChain(paths, textOf),
  };
}
