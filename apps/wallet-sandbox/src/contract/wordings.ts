/** Injection token of the wording that the seed chose. */
export const WORDING = Symbol('wording');

/** The partner documents no message texts (partner-api.md section 7): callers must cope with any of these. */
export interface Wording {
  noSuchPass(by: string, value: string): string;
  passExists(identifier: string, value: string): string;
  valueUsed(attribute: string, value: string): string;
}

export const wordings: readonly [Wording, ...Wording[]] = [
  {
    noSuchPass: (by, value) => `No such pass: no wallet pass has ${by} ${value}`,
    passExists: (identifier, value) => `Duplicate: a wallet pass with ${identifier} ${value} already exists`,
    valueUsed: (attribute, value) => `Duplicate value of unique attribute ${attribute}: ${value} already exists`,
  },
  {
    noSuchPass: (by, value) => `Wallet pass not found (${by}=${value})`,
    passExists: (identifier, value) => `${identifier} "${value}" is already in use by another wallet pass`,
    valueUsed: (attribute, value) => `The value "${value}" of ${attribute} has already been used`,
  },
  {
    noSuchPass: (by, value) => `The wallet pass does not exist: ${by} '${value}'`,
    passExists: (identifier, value) => `Unique identifier violation: ${identifier}='${value}' exists already`,
    valueUsed: (attribute, value) => `${attribute} must be unique, '${value}' exists already`,
  },
];

/** The wording that a seed's number chooses. */
export function chooseWording(index: number): Wording {
  return wordings[index % wordings.length] ?? wordings[0];
}
