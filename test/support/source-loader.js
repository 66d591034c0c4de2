/**
 * Lets plain Node run the TypeScript sources, with no build: `node --import ./test/support/source-loader.js FILE.ts`.
 * Imports resolve as in tests (`#library` to its source, `./x.js` to `./x.ts`), and swc compiles as in the build, since
 * Node's own stripping of types does not know decorators.
 */
import { transformSync } from '@swc/core';
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url).href;
const { jsc } = JSON.parse(readFileSync(new URL('.swcrc', root), 'utf8'));

const isSource = (url) => url?.startsWith(root) && url.endsWith('.ts') && !url.includes('/node_modules/');

const sourceSpecifier = (specifier, parent) => {
  if (!isSource(parent) || !specifier.startsWith('.') || !specifier.endsWith('.js')) return specifier;
  const url = new URL(specifier.replace(/\.js$/, '.ts'), parent);
  return existsSync(url) ? url.href : specifier;
};

registerHooks({
  resolve: (specifier, context, next) =>
    next(sourceSpecifier(specifier, context.parentURL), {
      ...context,
      conditions: [...context.conditions, 'loyaltyd-source'],
    }),
  load: (url, context, next) => {
    if (!isSource(url)) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      jsc,
      filename,
      swcrc: false,
      module: { type: 'es6' },
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
