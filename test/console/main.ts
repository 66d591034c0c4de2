import { writeFile } from 'node:fs/promises';

import { consoleTypes, consoleTypesFile } from './console-types.js';

/** `npm run console:types`: writes the console's types of the operations API anew. */
await writeFile(consoleTypesFile, await consoleTypes());
