import { join } from 'node:path';

import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';

import { openApi, servedRoutes } from '#operations';

/** Where they lie, from the project's root. */
export const consoleTypesFile = join('apps', 'console', 'src', 'api', 'openapi.ts');

const head =
  '// Written by `npm run console:types`, of the OpenAPI document that a daemon answers at /api/openapi.json.\n';

/** The types of the operations API that the console is written with: no schema gets into the browser. */
export async function consoleTypes(): Promise<string> {
  const document = openApi(servedRoutes()) as unknown as OpenAPI3;
  return `${head}${astToString(await openapiTypescript(document, { immutable: true }))}`;
}
