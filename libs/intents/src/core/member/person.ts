import type { PartnerCommand } from '../owed/partner-command.js';

/** What tells who somebody is, as far as shops say it. */
export const personFields = ['firstName', 'lastName', 'email'] as const;

export type PersonField = (typeof personFields)[number];

/** By field, in one spelling; null: it was cleared. What nothing is said of is absent. */
export type PersonSaid = Readonly<Partial<Record<PersonField, string | null>>>;

/** What a command says of who its member is. */
export function personSaid(command: PartnerCommand): PersonSaid {
  const { person = {} } = 'content' in command ? command.content : {};
  const values = new Map(Object.entries(person));
  const said = personFields.filter((field) => values.get(field) !== undefined);
  return Object.fromEntries(said.map((field) => [field, spelled(values.get(field))]));
}

/** In one spelling; null: nothing. */
export function spelled(value: unknown): string | null {
  const text = typeof value === 'string' ? value.normalize('NFKC').trim().toLowerCase().replaceAll(/\s+/g, ' ') : '';
  return text === '' ? null : text;
}

/**
 * Whether an enrolment is somebody else's: both the e-mail address and the name are other ones. Of the name the first one counts where
 * both say it, for the last one may change with the address, by a marriage.
 * @param differs by field; null: one of them does not say it
 */
export function isSomebodyElse(differs: (field: PersonField) => boolean | null): boolean {
  const name = differs('firstName') ?? differs('lastName');
  return name === true && differs('email') === true;
}
