/**
 * Lets plain Node run the TypeScript sources, with no build: `node --import ./test/support/source-loader.js FILE.ts`.
 * Imports resolve as in the build (`#library` to its source, `./x.js` to `./x.ts`), and swc compiles as there, since
 * Node's own stripping of types does not know decorators. Compiled text is kept by its content: a start costs reading it.
 */
import { transformSync } from '@swc/core';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url).href;
const swcrc = readFileSync(new URL('.swcrc', root), 'utf8');
const { jsc } = JSON.parse(swcrc);
const { version } = createRequire(import.meta.url)('@swc/core/package.json');
const cache = new URL('node_modules/.cache/source-loader/', root);

const withoutQuery = (url) => url.replace(/\?.*$/, '');
const isSource = (url) => url?.startsWith(root) && withoutQuery(url).endsWith('.ts') && !url.includes('/node_modules/');

const sourceSpecifier = (specifier, parent) => {
  if (!isSource(parent) || !specifier.startsWith('.') || !specifier.endsWith('.js')) return specifier;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  return existsSync(url) ? url.href : specifier;
};

/** Where the source map of each loaded file lies, by its URL: for whoever shows where an error comes from. */
export const sourceMaps = new Map();

const writeWhole = (path, text) => {
  // Two workers may compile the same file at once.
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
};

const compile = (url) => {
  const filename = fileURLToPath(withoutQuery(url));
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha1').update(`${version}\n${swcrc}\n${filename}\n${source}`).digest('hex');
  const path = fileURLToPath(new URL(`${key}.js`, cache));
  sourceMaps.set(url, `${path}.map`);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  const options = { jsc, filename, swcrc: false, module: { type: 'es6' }, sourceMaps: true };
  const { code, map } = transformSync(source, options);
  mkdirSync(cache, { recursive: true });
  writeWhole(`${path}.map`, map);
  writeWhole(path, code);
  return code;
};

registerHooks({
  resolve: (specifier, context, next) =>
    next(sourceSpecifier(specifier, context.parentURL), {
      ...context,
      conditions: [...context.conditions, 'loyaltyd-source'],
    }),
  load: (url, context, next) =>
    isSource(url) ? { format: 'module', source: compile(url), shortCircuit: true } : next(url, context),
});
