import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** As `loyaltyd` itself does: what V8 made of the compiled program before is read at the next start. */
enableCompileCache(fileURLToPath(new URL('../../dist/.compile-cache', import.meta.url)));
