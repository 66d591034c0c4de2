import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { publishedContracts } from '#events';

/** The contracts as files, for whoever has no daemon at hand; written by this program. */
export const contractsFolder = resolve(import.meta.dirname, '../../docs/contracts');

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Path below the folder -> text. */
export const contractFiles = (): ReadonlyMap<string, string> => {
  const { asyncapi, schemas } = publishedContracts();
  return new Map([
    ['asyncapi.json', jsonText(asyncapi)],
    ...Object.entries(schemas).map(([name, schema]): [string, string] => [`schemas/${name}.json`, jsonText(schema)]),
  ]);
};

const write = (): void => {
  for (const [name, text] of contractFiles()) {
    const path = resolve(contractsFolder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
};

if (process.argv[1] === import.meta.filename) write();
