import { safeJson } from './safe-text.js';

const controls = /[\u007f-\u009f]/g;

/** YAML. What a terminal would act upon stands between double quotes by then, and can be spelled as in JSON there. */
export async function yamlText(value: unknown): Promise<string> {
  // Loaded only now: it is larger than all the rest of a command.
  const { stringify } = await import('yaml');
  const text = stringify(value, { lineWidth: 0 });
  return text.replace(controls, (character) => safeJson(character).slice(1, -1));
}
