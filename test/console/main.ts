import { readFile, writeFile } from 'node:fs/promises';

import { consoleTypes, consoleTypesFile } from './console-types.js';

/** `npm run console:types`. Left as it is where it would be the same: whoever has looked at it need not look again. */
const types = await consoleTypes();
const before = await readFile(consoleTypesFile, 'utf8').catch(() => null);
if (types !== before) await writeFile(consoleTypesFile, types);
