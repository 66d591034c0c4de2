import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import type { Plugin } from 'vite';

const entryGzipBytesMax = 150 * 1024;
/** Smaller ones fit into one packet anyway. */
const compressedBytesMin = 1024;
const compressible = /\.(?:js|css|html|svg|txt)$/;
const licenceFile = /^licen[cs]e(?:[-.].*)?$/i;

type Bundle = Parameters<Extract<NonNullable<Plugin['generateBundle']>, (...args: never[]) => unknown>>[1];
type Output = Bundle[string];

const bytesOf = (output: Output): Uint8Array => Buffer.from(output.type === 'chunk' ? output.code : output.source);
const gzipped = (bytes: Uint8Array): Buffer => gzipSync(bytes, { level: 9 });
const brotlied = (bytes: Uint8Array): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

/** Writes `NAME.gz` and `NAME.br` beside each file, so that the daemon compresses nothing while it serves. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle)) {
          const bytes = bytesOf(output);
          // index.html is filled in at each request.
          const isLeft = !compressible.test(output.fileName) || output.fileName === 'index.html';
          if (isLeft || bytes.length < compressedBytesMin) continue;
          this.emitFile({ type: 'asset', fileName: `${output.fileName}.gz`, source: gzipped(bytes) });
          this.emitFile({ type: 'asset', fileName: `${output.fileName}.br`, source: brotlied(bytes) });
        }
      },
    },
  };
}

function withImports(bundle: Bundle, name: string, seen: Set<string>): Set<string> {
  const chunk = bundle[name];
  if (chunk?.type !== 'chunk' || seen.has(name)) return seen;
  seen.add(name);
  for (const css of chunk.viteMetadata?.importedCss ?? []) seen.add(css);
  for (const imported of chunk.imports) withImports(bundle, imported, seen);
  return seen;
}

/** What a browser loads before the first screen: its size is printed, and too much of it fails the build. */
export function entryLimit(): Plugin {
  return {
    name: 'entry-limit',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const entries = Object.values(bundle).filter((output) => output.type === 'chunk' && output.isEntry);
        const names = entries.reduce((seen, { fileName }) => withImports(bundle, fileName, seen), new Set<string>());
        const outputs = [...names].flatMap((name) => bundle[name] ?? []);
        const bytes = outputs.reduce((sum, output) => sum + gzipped(bytesOf(output)).length, 0);
        const text = `console: ${(bytes / 1024).toFixed(1)} KiB gzip before the first screen, of ${entryGzipBytesMax / 1024}`;
        if (bytes > entryGzipBytesMax) this.error(text);
        process.stdout.write(`${text}\n`);
      },
    },
  };
}

/** The folder of the package that a module is of, or null where it is ours. */
function packageFolder(moduleId: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/?]+)\//.exec(moduleId)?.[1] ?? null;
}

function licenceText(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly [key in 'name' | 'version' | 'license']: string;
  };
  const file = readdirSync(folder).find((entry) => licenceFile.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** Bundled packages ask for their licence to go with them. */
export function licenceTexts(projectRoot: string): Plugin {
  return {
    name: 'licence-texts',
    apply: 'build',
    generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []));
      const own = readFileSync(join(projectRoot, 'LICENSE'), 'utf8').trim();
      const folders = new Set(ids.flatMap((id) => packageFolder(id) ?? []));
      const texts = [...folders].sort().map(licenceText);
      const source = [`loyaltyd\n\n${own}\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'assets/licences.txt', source });
    },
  };
}

/** Once everything is written, removes what an earlier build has left. */
export function pruneAfterwards(): Plugin {
  return {
    name: 'prune-afterwards',
    apply: 'build',
    writeBundle: {
      order: 'post',
      handler({ dir }, bundle) {
        if (dir === undefined) return;
        const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
        const paths = files.map((entry) => relative(dir, join(entry.parentPath, entry.name)));
        for (const path of paths.filter((each) => !(each in bundle))) rmSync(join(dir, path), { force: true });
      },
    },
  };
}

/** `npm run console:dev` fills in what the daemon does at each request. */
export function fillPlaceholders(): Plugin {
  return {
    name: 'fill-placeholders',
    apply: 'serve',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => html.replaceAll('%CONSOLE_BASE%', '/').replaceAll('%CONSOLE_NONCE%', ''),
    },
  };
}
