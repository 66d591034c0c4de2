import { resolve } from 'node:path';

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

import { entryLimit, fillPlaceholders, licenceTexts, precompress, pruneAfterwards } from './build-plugins.js';

const projectRoot = resolve(import.meta.dirname, '../..');
/** Where `npm run console:dev` finds a daemon. */
const apiUrl = process.env.CONSOLE_API_URL ?? 'http://127.0.0.1:8080';

// What is served is never a build for development, whatever the environment of who builds it says.
if (process.argv.includes('build')) process.env.NODE_ENV = 'production';

export default defineConfig({
  root: import.meta.dirname,
  // Served below whatever path a proxy chooses: index.html's `<base>` says which.
  base: './',
  cacheDir: resolve(projectRoot, 'node_modules/.cache/vite'),
  plugins: [react(), fillPlaceholders(), licenceTexts(projectRoot), entryLimit(), precompress(), pruneAfterwards()],
  build: {
    outDir: resolve(projectRoot, 'dist/console'),
    // A daemon may serve what lies there, and this build may fail: `pruneAfterwards`.
    emptyOutDir: false,
    target: 'es2022',
    // `light-dark()` stays as it is.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    sourcemap: false,
    // The policy of the page allows neither scripts in the page nor `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Brotli at its best takes a second or two.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { proxy: { '/api': apiUrl, '/health': apiUrl } },
});
