import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ConsoleSettings, LoginLinks } from '#operations';
import type { Logger } from '#platform';

import type { Configuration } from '../environment/configuration.module.js';

/** Where the product lies: its package.json is above this file, compiled or not. */
function productFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

function versionOf(folder: string): string {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }).version;
  } catch {
    return 'unknown';
  }
}

/** The console as this process serves it. */
export function consoleSettings(
  { environment: { operations } }: Configuration,
  logger: Logger,
  loginLinks: LoginLinks | null,
): ConsoleSettings {
  const product = productFolder();
  const folder = join(product, 'dist', 'console');
  const { basePath, docsUrl } = operations;
  return {
    ...{ folder, basePath, version: versionOf(product), docsUrl, loginLinks },
    onAbsent: () => {
      logger.warn({ folder }, 'the console is not built: npm run build makes it');
    },
  };
}
