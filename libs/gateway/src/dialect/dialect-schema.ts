import { z } from 'zod';
import { DUPLICATE_TEMPLATES, templateProblem } from './duplicate-template.js';
import { isPattern, patternProblem } from './patterns/judge-pattern.js';
import { patternCharsMax, templatesMax } from '../limits.js';

// Kinds of entries.

/** A name of the partner's: of a property or a query parameter. */
const partnerName = z.string().min(1).max(100);

const httpStatus = z.int().min(100).max(599);

/** A list of accepted statuses, or every 2xx. */
const successStatuses = z.union([z.literal('2xx'), z.array(httpStatus).min(1)]);

/**
 * A regular expression; case is ignored. It meets texts that the partner writes: one that may try for ever would stop
 * the whole process.
 */
const pattern = z
  .string()
  .min(1)
  .max(patternCharsMax, { abort: true })
  .refine((text) => isPattern(text), { error: 'is not a valid regular expression', abort: true })
  .superRefine((text, context) => {
    const problem = patternProblem(text);
    if (problem !== null) context.addIssue(problem);
  });

/** An entry that is a name. */
const name = (fallback: string, meaning: string): z.ZodDefault<typeof partnerName> =>
  partnerName.default(fallback).describe(meaning);

/**
 * Names that go into the same place must differ, from each other and from the documented ones beside them: one would
 * silently overwrite the other.
 */
function distinctNames<Shape extends z.ZodRawShape>(
  shape: Shape,
  documented: readonly string[],
): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape).refine((names) => {
    const all = [...Object.values(names), ...documented];
    return new Set(all).size === all.length;
  }, 'two properties share a name');
}

// How a token is asked for (section 5).

const answerPath = (fallback: string, meaning: string): z.ZodDefault<z.ZodString> =>
  z
    .string()
    .regex(/^[^.\s]{1,100}(?:\.[^.\s]{1,100}){0,4}$/, { error: 'must be names between dots' })
    .default(fallback)
    .describe(`${meaning}: a path such as \`data.token\`.`);

const tokenSection = z
  .strictObject({
    path: z
      .string()
      .regex(/^(?:\/[!-~]{0,500})?$/, { error: 'must be empty, or a path that starts with /' })
      .default('/oauth2/token')
      .describe(
        'What is appended to `WALLET_AUTH_URL`; empty: nothing. For the whole installation: no program can say otherwise.',
      ),
    body: z
      .enum(['form', 'json'])
      .default('form')
      .describe('How the fields are sent: `form`, or as the members of a `json` object.'),
    credentials: z
      .enum(['body', 'basic'])
      .default('body')
      .describe(
        'Where id and secret go: into the `body`, or into the header `Authorization` (`basic`, RFC 6749, 2.3.1).',
      ),
    names: distinctNames(
      {
        grantType: name('grant_type', 'Field that holds `token.grantType`.'),
        clientId: name('client_id', 'Field that holds `WALLET_CLIENT_ID`.'),
        clientSecret: name('client_secret', 'Field that holds `WALLET_CLIENT_SECRET`.'),
        scope: name('scope', 'Field that holds `WALLET_SCOPE`.'),
      },
      [],
    ).prefault({}),
    grantType: z.string().min(1).max(200).default('client_credentials').describe('What is asked for.'),
    fields: z
      .record(partnerName, z.string().max(1_000))
      .default({})
      .describe(
        'Further fields with their values, such as `{ audience: https://wallet.example }`. No secrets: the file is none.',
      ),
    answer: z
      .strictObject({
        accessToken: answerPath('access_token', 'Where the answer has the token'),
        expiresIn: answerPath('expires_in', 'Where it says how long that lives'),
        expiresInUnit: z.enum(['seconds', 'milliseconds']).default('seconds').describe('In what it says so.'),
        tokenType: answerPath('token_type', 'Where it says `Bearer`'),
      })
      .prefault({}),
  })
  .refine(({ names, fields }) => Object.values(names).every((each) => !Object.hasOwn(fields, each)), {
    error: 'a further field has the name of one that is sent anyway',
    path: ['fields'],
  });

// How answers are read.

const SUBJECT =
  '(?:wallet|pass|card|card ?holder|member|person|customer|unique[ _-]?id(?:entifier)?|identifier|record)';
/** "Card template", "wallet service", "customer segment": it is theirs, and not they, that is missing. */
const OF_SUBJECT =
  '(?!e?s?[ _-](?:template|type|tier|level|class|design|group|program(?:me)?|scheme|segment|campaign|service|table|store' +
  '|attribute|api|endpoint|route|resource))';
const IS_ABSENT =
  '(?:not (?:be |been )?(?:found|located|issued|registered|enrolled|known)|(?:not|\\w*n.t) exist|unknown|no longer exists)';
const NO = '(?:no|no such|unknown|(?:not|cannot|\\w*n.t) (?:find|locate|have))';

/**
 * "Wallet pass not found", "No such member", "Could not find a pass for unique_id m_1". The subject is asked for: a
 * bare "Not Found" is what a web server says about a wrong path.
 */
export const NO_PASS_PATTERN =
  `\\b${SUBJECT}${OF_SUBJECT}e?s?\\b.{0,80}\\b${IS_ABSENT}\\b` +
  `|\\b${NO} (?:an? |the |any )?(?:\\w+ ){0,2}${SUBJECT}${OF_SUBJECT}e?s?\\b` +
  `|\\bnot found\\b.{0,40}\\b${SUBJECT}${OF_SUBJECT}`;

const TAKEN =
  '(?:exist(?:s|ed|ing|ent)?|present|used|in use|posted|registered|recorded|processed|submitted|taken|stored|created' +
  '|added|received|known|booked|imported|captured|issued|enrolled|assigned|linked)';

/** "already exists", "receipt B07 has been used already", "must be unique". */
export const DUPLICATE_PATTERN =
  '\\bduplicat(?:e|es|ed|ion)\\b(?! (?:check|detection|test|propert|field|header|parameter|element))|\\bdup key\\b' +
  `|\\balready (?:been )?(?:\\w+ly )?${TAKEN}\\b|\\b${TAKEN} already\\b|\\bpreviously ${TAKEN}\\b` +
  '|\\b(?:has been|was|is) taken\\b(?! from)|\\b(?:is|are) in use\\b(?! (?:as|for))|\\b(?:must be|not|\\w+n.t|non)[ -]unique\\b' +
  '|\\bunique(?:ness)? (?:key |index |identifier )?(?:constraint|violation)|\\bviolates? unique';

/** "Validation failed: card is blocked", "Internal server error", "not created", "Please try again". */
const DENIAL_PATTERN =
  "\\b(?:not|cannot|never|\\w+n't|fail\\w*|(?<!\\b(?:no|0|without) )errors?|invalid|denied|reject\\w*|refus\\w*|declin\\w*" +
  '|forbidden|unauthori[sz]ed|blocked|expired|un(?:available|able)|exceeded|missing|maintenance|time-?d? ?out' +
  '|(?:try|come) (?:again|back)|retry)\\b|\\bno (?!errors?\\b)|<(?:!doctype|html|body|head)\\b';

/** What an answer calls itself that failed; a status of HTTP's where it stands in `statusCode`. */
const FAILED_STATUS_PATTERN = '^(?:fail(?:ed|ure)?|error|reject(?:ed)?|denied|refused|declined|invalid|[45]\\d\\d)$';

/** "The schedule was created", "Wallet update scheduled for ...", "Success". */
const CONFIRMATION_PATTERN =
  '\\b(?:schedul\\w*|creat\\w+|accept\\w*|success\\w*|plann\\w+|queued|saved|stored|added|registered|updated?)\\b';

const proofOf = (
  documented: string,
): z.ZodDefault<z.ZodEnum<{ documented: 'documented'; object: 'object'; any: 'any' }>> =>
  z.enum(['documented', 'object', 'any']).default('documented').describe(`\`documented\`: ${documented}.`);

const passDocumented = 'a pass with `passId` or `serialNumber`';

/** What an answer documents of what was asked for (partner-api.md 4.2, 4.3, 4.6, 4.7). */
const COMPARED_FIELDS = [
  ...(['amount', 'transactionTypeId', 'transactionDate', 'uniqueAttribute'] as const),
  ...(['pass', 'optOut', 'templateTierId', 'templateId'] as const),
] as const;

/** A field of an answer that is compared with what was asked for. */
export type ComparedField = (typeof COMPARED_FIELDS)[number];

const compareSection = z
  .strictObject({
    ignore: z
      .array(z.enum(COMPARED_FIELDS))
      .default([])
      .describe(
        'Fields that this partner answers otherwise than they were sent, and rightly: one that converts the `amount`, ' +
          'answers a workflow before it has run (`optOut`, `templateTierId`, `templateId`), ...',
      ),
    amountTolerance: z
      .number()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Largest difference of an answered `amount` from the one sent, of a partner that rounds.'),
    dateToleranceSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(0)
      .describe('Largest difference of an answered `transactionDate`. Below a second it is the same.'),
  })
  .prefault({})
  .describe(
    'A success that shows one of these otherwise than it was asked for is no yes, but an unknown outcome for a person: ' +
      '`amount`, `transactionTypeId`, `transactionDate` and the unique attribute among `attributes` (4.7), `pass` by its ' +
      'id or serial number (4.3, 4.6), `optOut`, `templateTierId`, `templateId` (4.2, 4.3). What is absent says nothing.',
  );

const successSection = z.strictObject({
  statuses: successStatuses
    .default([200, 201])
    .describe('Statuses of a successful call. Any other 2xx is an unknown outcome.'),
  proof: z
    .strictObject({
      issue: proofOf(`${passDocumented} (4.2)`),
      'issue-via-workflow': proofOf(`${passDocumented} (4.3)`),
      'update-via-workflow': proofOf(`${passDocumented} (4.3)`),
      transaction: proofOf('a `transactionId` (4.7)'),
      reward: proofOf(`${passDocumented} (4.6)`),
      'schedule-update': proofOf('a `message` that confirms the schedule (4.4)'),
    })
    .prefault({}),
  requireMetaData: z
    .boolean()
    .default(false)
    .describe(
      'Whether an answered pass (4.2, 4.3, 4.6) must carry our id in its metaData to be proof. One whose metaData ' +
        'names another member never is.',
    ),
  denied: z
    .strictObject({
      flags: z
        .array(partnerName)
        .default(['success', 'succeeded', 'ok'])
        .describe('Properties that deny the success of an answer which has them as `false`.'),
      errors: z
        .array(partnerName)
        .default(['error', 'errors', 'errorCode', 'errorMessage', 'fault'])
        .describe('Properties that deny it when they are not empty.'),
      statusPattern: pattern
        .default(FAILED_STATUS_PATTERN)
        .describe('Text of `status`, `statusCode` or `result`, or number of `statusCode`, that denies it.'),
      pattern: pattern.default(DENIAL_PATTERN).describe('Words of a `message` that deny it.'),
    })
    .prefault({})
    .describe('A success that is denied so proves nothing, whatever `success.proof` asks for.'),
  compare: compareSection,
});

const tooManyRequests = z
  .enum(['not-applied', 'unknown'])
  .default('not-applied')
  .describe('Whether a 429 proves that nothing was done.');

const notAppliedSection = z.strictObject({
  statuses: z
    .array(z.int().min(500).max(599))
    .default([])
    .describe(
      'Statuses from 500 on that prove that nothing was done: the call is sent again without evidence. Where whoever ' +
        'answers so may have passed the call on, it takes effect twice.',
    ),
});

/** Names and indexes between dots, or `$`. */
const messagePath = z
  .string()
  .max(200)
  .regex(/^[^.]+(?:\.[^.]+)*$/, 'must be names and indexes with dots between them');

/** 401, 408 and 429 have meanings of their own, and no 5xx proves that nothing was done. */
const refusalStatus = z
  .int()
  .min(400)
  .max(499)
  .refine((status) => ![401, 408, 429].includes(status), 'has a meaning of its own');

const errorSection = z
  .strictObject({
    message: z
      .union([messagePath, z.array(messagePath).min(1).max(10)])
      .default('message')
      .describe(
        'Where the words of an error body stand: a path such as `error.detail` or `errors.0.text`, `$` for a body that ' +
          'is text, or a list of which the first that is there counts; after them the documented `message` (4.1 to 4.3).',
      ),
    contentStatuses: z
      .array(refusalStatus)
      .min(1)
      .default([400, 409, 422])
      .describe('Statuses that refuse this one call, with words or JSON of any shape: the intent is rejected.'),
    configurationStatuses: z
      .array(refusalStatus)
      .default([403, 404, 405, 415])
      .describe(
        'Statuses that refuse every call of the kind: it is sent again, and for 5 members pauses the operation.',
      ),
  })
  .refine(
    ({ contentStatuses, configurationStatuses }) =>
      !contentStatuses.some((status) => configurationStatuses.includes(status)),
    { error: 'a status is in contentStatuses as well', path: ['configurationStatuses'] },
  );

/** What an answer is, when it was made, what may follow, and the numbers by which the partner finds it in logs of its own. */
const keptHeaders = [
  ...['content-type', 'content-encoding', 'content-length', 'date', 'age', 'location', 'allow', 'www-authenticate'],
  ...['retry-after', 'ratelimit*', 'x-ratelimit-*', 'x-rate-limit-*'],
  ...['x-request-id', 'request-id', 'x-correlation-id', 'correlation-id', 'x-trace-id', 'traceparent'],
  ...['x-amzn-requestid', 'x-amzn-trace-id', 'x-ms-request-id', 'cf-ray'],
];

const evidenceSection = z.strictObject({
  headers: z
    .array(
      z.string().regex(/^[\w!#$%&'+.^`|~-]{0,100}\*?$/, { error: 'must name headers, with `*` at the end at most' }),
    )
    .max(100)
    .default(keptHeaders)
    .describe(
      'Headers of an answer that are kept with it, in any case; with `*` at the end all that begin so. `content-type` and ' +
        '`content-encoding` are kept always, `set-cookie` never.',
    ),
});

const statusSection = z.strictObject({
  numbers: z
    .record(partnerName, z.int())
    .default({ ACTIVE: 200 })
    .describe('The number beside each statusCode of a pass. Any other raises the shape alarm `status`.'),
  dead: z
    .array(partnerName)
    .default(['DELETED', 'EXPIRED'])
    .describe(
      'Each statusCode, or number in `status`, of a pass that is no card any more: whoever has only that has none, and gets a new one by enrolling. Case does not count.',
    ),
});

const noSuchPassSection = z.strictObject({
  pattern: pattern
    .default(NO_PASS_PATTERN)
    .describe('Message of a refused transaction or reward that means "this member has no pass".'),
});

const duplicateSection = z.strictObject({
  templates: z
    .array(
      z
        .string()
        .max(patternCharsMax, { abort: true })
        .superRefine((text, context) => {
          const problem = templateProblem(text);
          if (problem !== null) context.addIssue(problem);
        }),
    )
    .max(templatesMax)
    .default([...DUPLICATE_TEMPLATES])
    .describe(
      'Whole sentences that refuse a transaction because its unique value is taken: after an answer that was lost they ' +
        'prove it, any further word does not. Case and punctuation do not count. `<value>` is what was sent, `<name>` the ' +
        'attribute, `<sent>` another value of the request, `<id>` one word with a digit, dot or underscore; `(a|b|)` are ' +
        'alternatives, here maybe none. Without `<value>` it is proof of any value: only for a partner that never says it.',
    ),
  beside: z
    .array(partnerName)
    .default(['timestamp', 'path', 'instance', 'requestId', 'request_id', 'traceId', 'correlationId'])
    .describe(
      'Properties of such a body that may say anything. Another one beside the message makes it doubt, save the status, its ' +
        "phrase, and names of the refusal such as `DUPLICATE_VALUE`: a status or an id may be another transaction's.",
    ),
  pattern: pattern
    .default(DUPLICATE_PATTERN)
    .describe('Words of a duplicate refusal of an issue, which is looked up then.'),
  identifierNames: z
    .array(partnerName)
    .default(['unique_id', 'unique id', 'unique identifier', 'uniqueId', 'email', 'member', 'person', 'pass', 'card'])
    .describe(
      'Words for the unique identifier in the refusal of an issue, beside its metaData key. One of them is enough: the ' +
        'pass is looked up.',
    ),
});

const lookupSection = z.strictObject({
  absent: z
    .strictObject({
      statuses: z.array(httpStatus).min(1).default([400, 404]).describe('Statuses that can mean "no such pass" (4.1).'),
      pattern: pattern.default(NO_PASS_PATTERN).describe('Message of a refused lookup that means "no such pass".'),
    })
    .prefault({}),
  trustWithoutMetaData: z
    .boolean()
    .default(true)
    .describe('Whether a pass found by unique_id counts as ours when the answer has no metaData.'),
  trustSharedWithoutMetaData: z
    .boolean()
    .default(false)
    .describe(
      'The same of a pass found by an email or a person, which a household may share; and whether the answer to an ' +
        'enrolment or update of who is looked up so may lack our id.',
    ),
  severalMatches: z
    .enum(['ours', 'first', 'failed'])
    .default('ours')
    .describe(
      'A lookup answered with a list (an array, or `{data: []}`). `ours`: the one pass that carries our id; several: ' +
        'the lookup has failed. `first`: the first of those. `failed`: a list is no answer.',
    ),
  emptyList: z.enum(['absent', 'failed']).default('failed').describe('A lookup answered with an empty list.'),
});

// What the calls about one pass look like.

const issueNames = distinctNames(
  {
    ipAddress: name('ipAddress', 'IP address of the cardholder.'),
    tierId: name('templateTierId', 'Tier of the card, as in WalletPass.'),
    templateId: name('templateId', 'Template of the card, as in WalletPass.'),
    programId: name('programId', 'Program id, sent only with `issue.repeatIds`.'),
    brandId: name('brandId', 'Brand id, sent only with `issue.repeatIds`.'),
    groupId: name('groupId', 'Group of passes, as in WalletPass.'),
    currentMessage: name('currentMessage', 'Message instead of the default one, as in WalletPass.'),
    smsSubscription: name('smsSubscription', 'SMS subscription value.'),
  },
  ['person', 'passdata'],
);

const issueSection = z.strictObject({
  names: issueNames.prefault({}).describe('Names of the issue body beside person and passdata (4.2, 4.3).'),
  repeatIds: z.boolean().default(false).describe('Whether brand and program id are repeated in the issue body.'),
  repeatedIdType: z
    .enum(['string', 'number'])
    .default('string')
    .describe('How these are written: `string` or `number`; an id that is no number stays a string.'),
  successStatuses: successStatuses
    .nullable()
    .default(null)
    .describe('Statuses of a successful issue (4.2); null: `success.statuses`.'),
});

const DOCUMENTED_PERSON = ['firstName', 'lastName', 'email', 'phone'];

const personSection = z.strictObject({
  attributesProperty: partnerName
    .refine((property) => !DOCUMENTED_PERSON.includes(property), 'is a documented property of its own')
    .nullable()
    .default(null)
    .describe('Property of `person` that holds the child attributes (4.2, 4.3); null: they lie beside firstName.'),
});

const smsValue = (
  value: 200 | 300 | 900,
  meaning: string,
): z.ZodDefault<z.ZodUnion<readonly [z.ZodInt, z.ZodString]>> =>
  z
    .union([z.int(), z.string().min(1).max(100)])
    .default(value)
    .describe(meaning);

const smsSection = z.strictObject({
  promotional: smsValue(200, 'What is sent for PROMOTIONAL.'),
  transactional: smsValue(300, 'What is sent for TRANSACTIONAL.'),
  optedOut: smsValue(900, 'What is sent for OPTED_OUT.'),
});

const ALTERNATIVE = 'What the partner has not shown is looked up first.';

const transactionSection = z.strictObject({
  negativeAmounts: z.boolean().default(true).describe('Whether a negative amount is accepted (refunds, 4.7).'),
  identifyBy: z
    .enum(['unique_id', 'serialNumber'])
    .default('unique_id')
    .describe(`What names the card of a transaction (4.7). ${ALTERNATIVE}`),
  serialNumberParameter: name('serialNumber', 'Query parameter that names a card by its serial number (4.7).'),
  dateFormat: z
    .enum(['iso', 'iso-seconds', 'iso-offset', 'iso-local', 'compact', 'iso-till'])
    .default('iso')
    .describe(
      'Form of `transactionDate`, in UTC: `iso` 2026-11-21T09:15:04.000Z, `iso-seconds` 2026-11-21T09:15:04Z, ' +
        '`iso-offset` 2026-11-21T09:15:04.000+00:00, `iso-local` 2026-11-21T09:15:04.000, `compact` 20261121T091504Z; or as the till wrote it, so that its day can be seen: `iso-till` 2026-11-21T10:15:04.000+01:00.',
    ),
});

const rewardSection = z.strictObject({
  identifyBy: z
    .enum(['unique_id', 'passId', 'serialNumber'])
    .default('unique_id')
    .describe(`What names the pass of a reward (4.6). ${ALTERNATIVE}`),
  passIdParameter: name('passId', 'Query parameter for the pass id (4.6).'),
  serialNumberParameter: name('serialNumber', 'Query parameter for the serial number (4.6).'),
});

const filterNames = distinctNames(
  {
    personId: name('person_id', 'Filter for the person.'),
    email: name('email', 'Filter for the email.'),
    serialNumber: name('serialNumber', 'Filter for the serial number.'),
    groupId: name('groupId', 'Filter for the group.'),
    templateId: name('templateId', 'Filter for the template.'),
    templateTierId: name('templateTierId', 'Filter for the tier.'),
    statusCode: name('statusCode', 'Filter for the status.'),
  },
  ['unique_id'],
);

/** Properties of 4.4's body that the specification shows. */
export const DOCUMENTED_SCHEDULE = ['scheduledName', 'scheduledTimestamp', 'filters'];

const timeNames = distinctNames(
  {
    dateTime: name('scheduledDateTime', 'Local date and time of a schedule, `yyyy-MM-ddTHH:mm:ss` (4.4).'),
    timeZone: name('timeZone', 'IANA time zone of that date and time.'),
  },
  DOCUMENTED_SCHEDULE,
);

const scheduleEntries = z.strictObject({
  names: timeNames.prefault({}),
  filterNames: filterNames.prefault({}).describe('Keys of `filters` beside unique_id (4.4).'),
  selectBy: z
    .enum(['filters', 'query', 'both'])
    .default('filters')
    .describe('Where the unique_id of a single pass goes: `filters`, `query` or `both`.'),
  leadMs: z
    .int()
    .min(0)
    .max(86_400_000)
    .default(60_000)
    .describe('Delay after the call of a change that is to happen as soon as possible; milliseconds.'),
  confirmation: z
    .strictObject({
      pattern: pattern
        .default(CONFIRMATION_PATTERN)
        .describe('Words of the `message` of 4.4 that confirm a schedule, where it is not denied (`success.denied`).'),
    })
    .prefault({}),
  dateTimeFormat: z
    .enum(['iso', 'iso-milliseconds', 'space', 'compact'])
    .default('iso')
    .describe(
      'Form of the date-time: `iso` 2026-12-01T09:00:00, `iso-milliseconds` 2026-12-01T09:00:00.000, `space` ' +
        '2026-12-01 09:00:00, `compact` 20261201T090000.',
    ),
  timeZoneAs: z
    .enum(['name', 'offset'])
    .default('name')
    .describe('What stands for the time zone: its IANA `name`, or its `offset` at that time, +01:00.'),
  changeProperty: partnerName
    .nullable()
    .default(null)
    .describe(
      'Body property of 4.4 that carries the change. Without it, and without `changeAt: top-level`, only the ' +
        'documented body is sent, and `update: {via: schedule}` is refused.',
    ),
  changeAt: z
    .enum(['property', 'top-level'])
    .default('property')
    .describe('Where the change goes: into `changeProperty`, or as properties beside scheduledName (`top-level`).'),
});

const scheduleSection = scheduleEntries
  .refine(
    ({ names, changeProperty }) =>
      changeProperty === null || ![...Object.values(names), ...DOCUMENTED_SCHEDULE].includes(changeProperty),
    { error: 'is the name of another property', path: ['changeProperty'] },
  )
  .refine(({ changeProperty, changeAt }) => changeProperty === null || changeAt === 'property', {
    error: 'top-level leaves no changeProperty to carry the change',
    path: ['changeAt'],
  });

// Listing and administration.

const listNames = distinctNames(
  {
    pageSize: name('pageSize', 'Page size (4.5).'),
    pageNumber: name('pageNumber', 'Page number.'),
    countOnly: name('countOnly', 'Asks for the count only.'),
    templateId: name('templateId', 'Template.'),
    templateTierId: name('templateTierId', 'Tier.'),
    statusCode: name('statusCode', 'Status.'),
    statusCodeQueryType: name('statusCodeQueryType', 'How the status is compared.'),
    lastUpdated: name('lastUpdated', 'Time of the last update.'),
    lastUpdatedQueryType: name('lastUpdatedQueryType', 'How that time is compared.'),
    lastUpdatedStartDate: name('lastUpdatedStartDate', 'Earliest last update.'),
    lastUpdatedEndDate: name('lastUpdatedEndDate', 'Latest last update.'),
    serialNumber: name('serialNumber', 'Serial number.'),
    groupId: name('groupId', 'Group.'),
  },
  ['email', 'unique_id'],
);

const listSection = z.strictObject({
  names: listNames.prefault({}),
  firstPage: z.int().min(0).max(1_000).default(1).describe('Number of the first page (4.5).'),
  countOnlyValue: z.string().min(1).max(100).default('true').describe('What `list.names.countOnly` is set to.'),
  timeFormat: z
    .enum(['iso', 'iso-offset', 'milliseconds'])
    .default('iso')
    .describe(
      'Times of the last-updated filters: `iso` 2026-11-21T09:15:04.000Z, `iso-offset` 2026-11-21T09:15:04.000+0000 ' +
        '(both are readings of the documented format), `milliseconds` 1795252504000.',
    ),
  statusAs: z
    .enum(['name', 'number'])
    .default('name')
    .describe('How a status filter is sent: `name`, or `number` by `status.numbers`.'),
  workflowProperty: partnerName
    .nullable()
    .default(null)
    .describe(
      'Property of a listed pass that tracks a workflow. Kept with the pass, read by nothing of ours; anything but an ' +
        'object or a list there raises an alarm.',
    ),
});

const numbers = (of: string): z.ZodDefault<z.ZodArray<typeof partnerName>> =>
  z
    .array(partnerName)
    .max(1_000)
    .default([])
    .describe(`Names of ${of} of type number: sent as numbers, digit for digit.`);

const brandAttributeSection = z.strictObject({
  numbers: numbers('brand attributes, in `passdata.metaData` and among those of the person,'),
  names: distinctNames(
    {
      brandId: name('brandId', 'Brand id of a brand attribute, as answered.'),
      required: name('required', 'Whether a brand attribute is required (4.10, 4.11).'),
      encrypted: name('encrypted', 'Whether a brand attribute is encrypted.'),
      statusCode: name('statusCode', 'Status code of a brand attribute.'),
    },
    ['brandAttributeId', 'name', 'description', 'dataType', 'searchable', 'unique'],
  ).prefault({}),
});

const dataType = (type: string): ReturnType<typeof name> =>
  name(type, `How the data type \`${type}\` is written (4.9).`);

const transactionAttributeSection = z.strictObject({
  numbers: numbers('transaction attributes'),
  names: distinctNames(
    {
      description: name('description', 'Description of a transaction attribute (4.9).'),
      uniqueKey: name('uniqueKey', 'Whether its values are unique.'),
      encrypted: name('encrypted', 'Whether a transaction attribute is encrypted.'),
      transactionTypeId: name('transactionTypeId', 'Transaction type of an attribute, as answered.'),
      brandId: name('brandId', 'Brand id of a transaction attribute, as answered.'),
      programId: name('programId', 'Program id of a transaction attribute, as answered.'),
      type: name('type', 'Type of a transaction attribute, as answered.'),
    },
    ['transactionAttributeId', 'name', 'dataType', 'required'],
  ).prefault({}),
  dataTypes: distinctNames(
    {
      string: dataType('string'),
      number: dataType('number'),
      boolean: dataType('boolean'),
      date: dataType('date'),
    },
    [],
  ).prefault({}),
});

/**
 * Everything that partner-api.md leaves open, each with the default we assume (contracts.md section 6). Strict: an
 * unknown entry is an error, because a mistyped one would silently do nothing.
 */
export const dialectSchema = z.strictObject({
  token: tokenSection.prefault({}),
  issue: issueSection.prefault({}),
  person: personSection.prefault({}),
  sms: smsSection.prefault({}),
  success: successSection.prefault({}),
  error: errorSection.prefault({}),
  evidence: evidenceSection.prefault({}),
  tooManyRequests,
  notApplied: notAppliedSection.prefault({}),
  status: statusSection.prefault({}),
  lookup: lookupSection.prefault({}),
  list: listSection.prefault({}),
  noSuchPass: noSuchPassSection.prefault({}),
  duplicate: duplicateSection.prefault({}),
  transaction: transactionSection.prefault({}),
  reward: rewardSection.prefault({}),
  schedule: scheduleSection.prefault({}),
  brandAttribute: brandAttributeSection.prefault({}),
  transactionAttribute: transactionAttributeSection.prefault({}),
});

/** A dialect with every default filled in: plain data. */
export type Dialect = z.infer<typeof dialectSchema>;

/** What a file or a program may write: any part of it. */
export type DialectInput = z.input<typeof dialectSchema>;

/** One entry of the dialect, for its documentation. */
export interface DialectEntry {
  /** `lookup.absent.pattern` */
  readonly path: string;
  readonly description: string;
  /** As JSON. */
  readonly default: string;
}

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly description?: string;
  readonly default?: unknown;
}

/** All entries in the order of the schema; `docs/partner-dialect.md` is generated from it. */
export function describeDialect(): DialectEntry[] {
  return entriesOf(z.toJSONSchema(dialectSchema, { io: 'input' }) as SchemaNode, '');
}

function entriesOf(node: SchemaNode, prefix: string): DialectEntry[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const path = `${prefix}${key}`;
    if (child.properties !== undefined) return entriesOf(child, `${path}.`);
    return [{ path, description: child.description ?? '', default: JSON.stringify(child.default) }];
  });
}
