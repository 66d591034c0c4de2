import { InvalidRequest, refuseName } from '../http/refusal.js';
import { isJsonObject, type JsonObject, mapProperty, Renaming } from './renaming.js';
import type { SpellingChoice } from './spelling-schema.js';
import { ValueRenaming } from './value-renaming.js';

const documentedPerson = new Set(['firstName', 'lastName', 'email', 'phone']);

/** The body of 4.2 and 4.3, which is the change of 4.4 as well. */
export class ContentSpelling {
  private readonly names: Renaming;
  private readonly smsValues: ValueRenaming<number>;
  private readonly personAttributes: string | null;

  constructor({ issue, smsValues, personAttributes }: SpellingChoice) {
    this.names = new Renaming(issue);
    this.smsValues = new ValueRenaming(Object.entries(smsValues).map(([value, spelled]) => [Number(value), spelled]));
    this.personAttributes = personAttributes;
  }

  get isEmpty(): boolean {
    return this.names.isEmpty && this.smsValues.isEmpty && this.personAttributes === null;
  }

  read(body: unknown): unknown {
    const renamed = this.names.read(body);
    const withSms = mapProperty(renamed, 'smsSubscription', (value) => this.smsValues.read(value));
    const property = this.personAttributes;
    return property === null ? withSms : mapProperty(withSms, 'person', (person) => unpack(person, property));
  }

  spell(name: string): string {
    return this.names.spell(name);
  }
}

/** A person whose child attributes lie in a property of their own, with them beside the documented ones. */
function unpack(person: unknown, property: string): unknown {
  if (!isJsonObject(person)) return person;
  const { [property]: attributes = {}, ...documented } = person;
  refuseOthers(documented, (name) => documentedPerson.has(name));
  if (!isJsonObject(attributes)) {
    throw new InvalidRequest([{ path: ['person', property], message: 'must be an object' }]);
  }
  refuseOthers(attributes, (name) => !documentedPerson.has(name));
  return { ...documented, ...attributes };
}

function refuseOthers(value: JsonObject, isAllowed: (name: string) => boolean): void {
  const other = Object.keys(value).find((name) => !isAllowed(name));
  if (other !== undefined) refuseName(other);
}
