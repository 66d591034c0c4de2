import { isCurrencyCode, readEnvironmentParts, topicPattern } from '#contracts';

/** What `init` writes by. `none` in place of a name: it is left out. */
export interface Answers {
  readonly target: string;
  readonly image: string;
  readonly program: string;
  readonly brandId: string;
  readonly programId: string;
  readonly currency: string;
  readonly purchaseType: string;
  readonly refundType: string;
  readonly customersTopic: string;
  readonly ordersTopic: string;
  readonly brokers: string;
  readonly databaseUrl: string;
  readonly partner: string;
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly scope: string;
  readonly environment: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export type AnswerName = keyof Answers;

/** What stands for a thing that there is not. */
export const none = 'none';

export interface Question {
  readonly name: AnswerName;
  /** What is asked of a person. */
  readonly text: string;
  /** Where nothing is answered. */
  readonly standard: string;
  /** What is wrong with an answer; null: nothing. It never quotes the answer. */
  problem(answer: string): string | null;
  /** Whether there is no standard for it; absent: there is one. */
  readonly isRequired?: (before: Partial<Answers>) => boolean;
  /** Absent: always. Where it is not asked, its standard holds. */
  readonly isAsked?: (before: Partial<Answers>) => boolean;
  /** It comes from this variable, or is typed unseen: everybody on the machine can see a command's words. */
  readonly variable?: string;
}

const oneOf =
  (...choices: readonly string[]): Question['problem'] =>
  (answer) =>
    choices.includes(answer) ? null : `must be one of ${choices.join(', ')}`;

const matches =
  (pattern: RegExp, rule: string): Question['problem'] =>
  (answer) =>
    pattern.test(answer) ? null : rule;

const id = matches(/^[\w.~-]{1,100}$/, 'must be an id: letters, digits, ".", "_", "~" and "-"');

const orNone =
  (problem: Question['problem']): Question['problem'] =>
  (answer) =>
    answer === none ? null : problem(answer);

const topic: Question['problem'] = (answer) => {
  const meant = topicPattern(answer);
  return meant !== null && 'name' in meant
    ? null
    : 'must be the name of a Kafka topic: letters, digits, ".", "_" and "-"';
};

/** They stand in a file that shells, Compose and kubectl read, each by rules of its own. */
const plain = /^[\w.~+/=:@!,%?-]{1,1000}$/;
const plainRule =
  'holds a character that the env file cannot: percent-encode it in an address; else put the secret into a file of its own later, as NAME_FILE';

const isPlain = matches(plain, plainRule);

const aPartner = { WALLET_BASE_URL: 'https://partner.example/brands', WALLET_AUTH_URL: 'https://partner.example' };

/** As the daemon judges that variable at its start. */
const asVariable =
  (name: string, besides: Readonly<Record<string, string>> = {}): Question['problem'] =>
  (answer) => {
    if (!plain.test(answer)) return plainRule;
    const options = { roles: [], readFile: () => '' };
    const { errors } = readEnvironmentParts({ ...besides, [name]: answer }, options);
    const problem = errors.find((error) => error.startsWith(`${name}: `));
    return problem === undefined ? null : problem.slice(name.length + 2);
  };

const isHelm = ({ target }: Partial<Answers>): boolean => target === 'helm';

const isOwnPartner = ({ partner, target }: Partial<Answers>): boolean => partner === 'own' || target === 'helm';

export const sandbox = { baseUrl: 'http://127.0.0.1:4010/brands', authUrl: 'http://127.0.0.1:4010', login: 'sandbox' };

/** In the order in which they are asked. */
export const questions: readonly Question[] = [
  {
    name: 'target',
    text: 'Where it will run: compose, helm, or none of them',
    standard: 'compose',
    problem: oneOf('compose', 'helm', none),
  },
  {
    name: 'image',
    text: 'Where you push the image',
    standard: 'registry.example.org/loyaltyd',
    problem: matches(
      /^[a-z0-9][\w./:-]{0,250}$/,
      'must be the name of an image, such as registry.example.org/loyaltyd',
    ),
    isAsked: isHelm,
  },
  { name: 'program', text: 'Your name of the program, as events write it', standard: 'main', problem: id },
  { name: 'brandId', text: 'The partner’s id of your brand', standard: '101', problem: id },
  { name: 'programId', text: 'The partner’s id of the program', standard: '2001', problem: id },
  {
    name: 'currency',
    text: 'Its currency',
    standard: 'EUR',
    problem: (answer) => (isCurrencyCode(answer) ? null : 'must be a currency of ISO 4217, such as EUR'),
  },
  { name: 'purchaseType', text: 'The partner’s transaction type of a purchase', standard: '31', problem: id },
  { name: 'refundType', text: 'That of a refund, or none', standard: '32', problem: id },
  {
    name: 'customersTopic',
    text: 'The Kafka topic of your customers in JSON, or none',
    standard: 'shop.customers',
    problem: orNone(topic),
  },
  {
    name: 'ordersTopic',
    text: 'The Kafka topic of your orders in JSON, or none',
    standard: 'shop.orders',
    problem: orNone(topic),
  },
  {
    name: 'brokers',
    text: 'Kafka, as host:port,...',
    standard: '127.0.0.1:9092',
    problem: asVariable('KAFKA_BROKERS', { ALLOW_CLEARTEXT: 'kafka' }),
    isAsked: ({ target }) => target !== 'compose',
    isRequired: isHelm,
  },
  {
    name: 'databaseUrl',
    text: 'Postgres, as postgres://user:password@host:port/database',
    standard: 'postgres://loyaltyd@127.0.0.1:5432/loyaltyd',
    problem: asVariable('DATABASE_URL', { ALLOW_CLEARTEXT: 'postgres' }),
    isAsked: ({ target }) => target !== 'compose',
    isRequired: isHelm,
    variable: 'DATABASE_URL',
  },
  {
    name: 'partner',
    text: 'Whom to call: the sandbox, or your own partner',
    standard: 'sandbox',
    problem: oneOf('sandbox', 'own'),
    isAsked: ({ target }) => target !== 'helm',
  },
  {
    name: 'baseUrl',
    text: 'The partner’s address, which ends with /brands',
    standard: sandbox.baseUrl,
    problem: asVariable('WALLET_BASE_URL'),
    isAsked: isOwnPartner,
    isRequired: isOwnPartner,
  },
  {
    name: 'authUrl',
    text: 'The address of its tokens, without /oauth2/token',
    standard: sandbox.authUrl,
    problem: asVariable('WALLET_AUTH_URL', aPartner),
    isAsked: isOwnPartner,
    isRequired: isOwnPartner,
  },
  {
    name: 'environment',
    text: 'Which of its environments: sandbox or production',
    standard: 'sandbox',
    problem: oneOf('sandbox', 'production'),
    isAsked: isOwnPartner,
  },
  { name: 'scope', text: 'The scope of the tokens', standard: 'admin', problem: isPlain, isAsked: isOwnPartner },
  {
    name: 'clientId',
    text: 'The client’s id',
    standard: sandbox.login,
    problem: isPlain,
    isAsked: isOwnPartner,
    isRequired: isOwnPartner,
  },
  {
    name: 'clientSecret',
    text: 'The client’s secret',
    standard: sandbox.login,
    problem: isPlain,
    isAsked: isOwnPartner,
    isRequired: isOwnPartner,
    variable: 'WALLET_CLIENT_SECRET',
  },
];

/** `--purchase-type` of `purchaseType`. */
export function flagOf({ name }: Question): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
