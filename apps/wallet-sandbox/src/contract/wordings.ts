/** Injection token of the wording that the seed chose. */
export const WORDING = Symbol('wording');

/** The partner documents no message texts (partner-api.md section 7): callers must cope with any of these. */
export interface Wording {
  readonly name: string;
  noSuchPass(by: string, value: string): string;
  passExists(identifier: string, value: string): string;
  valueUsed(attribute: string, value: string): string;
  /** Of something that path or body name by an id: a program, a reward, a tier. */
  noSuch(thing: string, id: string): string;
  required(path: string): string;
  invalid(path: string, problem: string): string;
  /** Of a request as a whole. */
  invalidRequest(problem: string): string;
  /** Put around whatever is refused, the texts above included. */
  frame(message: string): string;
}

const asItIs = (message: string): string => message;

const plain: Wording = {
  name: 'plain',
  noSuchPass: (by, value) => `No such pass: no wallet pass has ${by} ${value}`,
  passExists: (identifier, value) => `Duplicate: a wallet pass with ${identifier} ${value} already exists`,
  valueUsed: (attribute, value) => `Duplicate value of unique attribute ${attribute}: ${value} already exists`,
  noSuch: (thing, id) => `No such ${thing}: ${id}`,
  required: (path) => `${path} is required`,
  invalid: (path, problem) => `${path}: ${problem}`,
  invalidRequest: (problem) => problem,
  frame: asItIs,
};

const quoted: Wording = {
  name: 'quoted',
  noSuchPass: (by, value) => `Wallet pass not found (${by}=${value})`,
  passExists: (identifier, value) => `${identifier} "${value}" is already in use by another wallet pass`,
  valueUsed: (attribute, value) => `The value "${value}" of ${attribute} has already been used`,
  noSuch: (thing, id) => `The ${thing} "${id}" does not exist`,
  required: (path) => `"${path}" is missing`,
  invalid: (path, problem) => `"${path}" is not valid: ${problem}`,
  invalidRequest: (problem) => `The request is not valid: ${problem}`,
  frame: asItIs,
};

const formal: Wording = {
  name: 'formal',
  noSuchPass: (by, value) => `The wallet pass does not exist: ${by} '${value}'`,
  passExists: (identifier, value) => `Unique identifier violation: ${identifier}='${value}' exists already`,
  valueUsed: (attribute, value) => `${attribute} must be unique, '${value}' exists already`,
  noSuch: (thing, id) => `Unknown ${thing} '${id}'`,
  required: (path) => `A value for ${path} must be provided`,
  invalid: (path, problem) => `Validation of ${path} failed: ${problem}`,
  invalidRequest: (problem) => `Validation failed: ${problem}`,
  frame: (message) => `Bad request - ${message}`,
};

/** Says as little as it can: of several problems the first, of a value nothing but where it stood. */
const terse: Wording = {
  name: 'terse',
  noSuchPass: () => 'No such pass',
  passExists: (identifier) => `Duplicate ${identifier}`,
  valueUsed: (attribute) => `Duplicate ${attribute}`,
  noSuch: (thing) => `No such ${thing}`,
  required: (path) => `Missing ${path}`,
  invalid: (path) => `Invalid ${path}`,
  invalidRequest: () => 'Invalid request',
  frame: (message) => message.split('; ')[0] ?? message,
};

const verbose: Wording = {
  name: 'verbose',
  noSuchPass: (by, value) =>
    `The wallet pass you asked for could not be found. We looked for ${by} equal to "${value}"`,
  passExists: (identifier, value) =>
    `A wallet pass whose ${identifier} equals "${value}" has already been issued, and ${identifier} must be unique`,
  valueUsed: (attribute, value) =>
    `The attribute ${attribute} must be unique, but a transaction with the value "${value}" has already been posted`,
  noSuch: (thing, id) => `We do not know any ${thing} with the id "${id}" here`,
  required: (path) => `We need a value for ${path}, which your request does not have`,
  invalid: (path, problem) => `The value of ${path} was not what we expected (${problem})`,
  invalidRequest: (problem) => `Your request was not what we expected (${problem})`,
  frame: (message) =>
    `Unfortunately your request could not be completed. ${message}. Please correct it and send it again, or contact support.`,
};

const bracketed: Wording = {
  name: 'bracketed',
  noSuchPass: (by, value) => `[PASS_NOT_FOUND] Wallet pass not found [${by}=${value}]`,
  passExists: (identifier, value) => `[PASS_DUPLICATE] Wallet pass already exists [${identifier}=${value}]`,
  valueUsed: (attribute, value) => `[VALUE_DUPLICATE] Value already exists [${attribute}=${value}]`,
  noSuch: (thing, id) => `[NOT_FOUND] ${thing} [${id}]`,
  required: (path) => `[REQUIRED] [${path}]`,
  invalid: (path, problem) => `[INVALID] [${path}] ${problem}`,
  invalidRequest: (problem) => `[INVALID] ${problem}`,
  frame: (message) => `[WS-400] ${message}`,
};

export const wordings: readonly [Wording, ...Wording[]] = [plain, quoted, formal, terse, verbose, bracketed];

/** The wording that a number chooses. */
export function chooseWording(index: number): Wording {
  return wordings[index % wordings.length] ?? wordings[0];
}

/** Another wording than the given one. */
export function otherWording(wording: Wording): Wording {
  return chooseWording(wordings.indexOf(wording) + 1);
}
