import type { LoginLinks } from './login-links.js';

/** The web console, as this process serves it. */
export abstract class ConsoleSettings {
  /** Of the build: `index.html` and `assets/`. It need not be there. */
  abstract readonly folder: string;
  /** Below which path browsers reach it: `/`, or a path without a slash at its end. */
  abstract readonly basePath: string;
  /** Of the product. */
  abstract readonly version: string;
  /** Below which the pages of `docs/` can be read, with a slash at its end; null: nobody has said it. */
  abstract readonly docsUrl: string | null;
  /** Null: there are none. */
  abstract readonly loginLinks: LoginLinks | null;
  /** Called once, when a console was requested that is not built. */
  abstract readonly onAbsent: () => void;
}
