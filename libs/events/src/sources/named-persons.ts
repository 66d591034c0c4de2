import { headerText } from '../core/record-headers.js';
import type { ExactDocument } from '../formats/source-format.js';
import type { MapInput } from '../mapping/compiled-map.js';
import type { RecordToMap } from './record-to-map.js';
import type { SourceMapping } from './source-tables.js';

/** Names of one record, at most; further ones are not looked for. */
export const personNamesMax = 256;

/** Longer ones name nobody. */
const nameCharsMax = 320;
const localCharsMax = 64;
const domainCharsMax = 253;

const isOfLocal = (char: string): boolean => /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u.test(char);
const isOfDomain = (char: string): boolean => /[\p{L}\p{N}.-]/u.test(char);

/** Names by which a record may be found again, each once. */
class PersonNames {
  private readonly names = new Set<string>();

  get all(): readonly string[] {
    return [...this.names];
  }

  add(name: string): void {
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > nameCharsMax || this.names.size >= personNamesMax) return;
    this.names.add(trimmed);
  }

  /** Whatever in a text looks like an e-mail address. Each character is looked at a bounded number of times. */
  addAddresses(text: string, isOfBytes = false): void {
    for (let at = text.indexOf('@'); at !== -1 && this.names.size < personNamesMax; at = text.indexOf('@', at + 1)) {
      let from = at;
      while (from > 0 && at - from < localCharsMax && isOfLocal(text.charAt(from - 1))) from -= 1;
      let to = at + 1;
      while (to < text.length && to - at <= domainCharsMax && isOfDomain(text.charAt(to))) to += 1;
      this.addAddress(text.slice(from, at), text.slice(at + 1, to).replace(/[.-]+$/, ''), isOfBytes);
    }
  }

  /** Beside a text among bytes its length may stand, and the next one's, which look like letters. */
  private addAddress(local: string, domain: string, isOfBytes: boolean): void {
    const locals = isOfBytes ? [local, local.slice(1)] : [local];
    const domains = isOfBytes ? [domain, domain.slice(0, -1)] : [domain];
    for (const one of locals) {
      for (const other of domains) if (one !== '' && other.includes('.')) this.add(`${one}@${other}`);
    }
  }

  addAddressesOf(document: ExactDocument): void {
    const left: ExactDocument[] = [document];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (typeof next === 'string') this.addAddresses(next);
      else if (next !== null && typeof next === 'object') for (const each of Object.values(next)) left.push(each);
    }
  }
}

const textOf = (bytes: Uint8Array | null): string => (bytes === null ? '' : Buffer.from(bytes).toString('utf8'));

/** A defect of ours must not keep a record from being set aside. */
function mappedPersons(mapping: Pick<SourceMapping, 'map'> | null, input: MapInput): readonly string[] {
  try {
    return mapping?.map.persons(input) ?? [];
  } catch {
    return [];
  }
}

/**
 * Whom the record of a source may be about, as far as that can be read, whatever becomes of it: its key, what its map gives as
 * members' ids and addresses, even where it refuses the rest, and whatever looks like an e-mail address.
 * @param documents null: its format cannot read it
 */
export function personsNamed(
  record: RecordToMap,
  documents: readonly ExactDocument[] | null,
  mapping: Pick<SourceMapping, 'map'> | null,
  factsOf: (record: RecordToMap) => MapInput['record'],
): readonly string[] {
  const names = new PersonNames();
  const { key, headers = {} } = record;
  names.add(textOf(key));
  if (documents === null) names.addAddresses(textOf(record.value), true);
  else {
    const facts = factsOf(record);
    const mapped = documents.flatMap((document) => mappedPersons(mapping, { document, record: facts }));
    for (const name of mapped) names.add(name);
    for (const document of documents) names.addAddressesOf(document);
  }
  for (const name of Object.keys(headers)) names.addAddresses(headerText(headers, name) ?? '');
  return names.all;
}
