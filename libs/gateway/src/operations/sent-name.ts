import type { SentValues } from '../wallet/sent-values.js';

/** What a duplicate refusal of something named would mention. */
export function sentName({ name }: { readonly name?: string }): SentValues {
  return { values: name === undefined ? [] : [name], names: [] };
}
