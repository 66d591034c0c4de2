type Layer = Readonly<Record<string, unknown>>;

/** A partner that is as documented, and does otherwise than the next one whatever the document does not show. */
export interface SpokenPartner {
  readonly name: 'plain' | 'north' | 'south';
  /** Sections of the sandbox's seed: how it speaks. */
  readonly seed: { readonly wording: number; readonly spelling: Layer };
  /** What the dialect file says of it. */
  readonly dialect: Layer;
}

/** The dialect's own defaults, and the sandbox's, but for the one thing that has none. */
const plain: SpokenPartner = {
  name: 'plain',
  seed: { wording: 0, spelling: {} },
  dialect: { schedule: { changeProperty: 'update' } },
};

const listNames = {
  pageSize: 'size',
  pageNumber: 'page',
  countOnly: 'onlyCount',
  templateId: 'template',
  templateTierId: 'tier',
  statusCode: 'state',
  statusCodeQueryType: 'stateIs',
  lastUpdated: 'updated',
  lastUpdatedQueryType: 'updatedIs',
  lastUpdatedStartDate: 'from',
  lastUpdatedEndDate: 'to',
  serialNumber: 'serial',
  groupId: 'group',
};
const issueNames = {
  ipAddress: 'ip',
  templateId: 'template',
  programId: 'program',
  brandId: 'brand',
  groupId: 'group',
  currentMessage: 'text',
  smsSubscription: 'sms',
};
const filterNames = {
  email: 'mail',
  serialNumber: 'serial',
  groupId: 'group',
  templateId: 'template',
  templateTierId: 'tier',
  statusCode: 'state',
};
const brandAttributeNames = { brandId: 'brand', required: 'mandatory', encrypted: 'secret', statusCode: 'state' };
const transactionAttributeNames = {
  description: 'text',
  transactionTypeId: 'typeId',
  brandId: 'brand',
  programId: 'program',
  type: 'sort',
  uniqueKey: 'isUnique',
  encrypted: 'secret',
};
const dataTypes = { string: 'TEXT', number: 'DECIMAL', boolean: 'FLAG', date: 'DAY' };

/** Short names, nested errors, pages from 0, names and numbers of its own everywhere. */
const north: SpokenPartner = {
  name: 'north',
  seed: {
    wording: 1,
    spelling: {
      issue: { ...issueNames, templateTierId: 'tier' },
      list: listNames,
      reward: { passId: 'pass_id', serialNumber: 'serial' },
      transaction: { serialNumber: 'serial_no' },
      schedule: { scheduledDateTime: 'localTime', timeZone: 'zone', update: 'changes' },
      scheduleFilters: { ...filterNames, person_id: 'person' },
      brandAttribute: brandAttributeNames,
      transactionAttribute: transactionAttributeNames,
      personAttributes: 'attributes',
      dataTypes,
      smsValues: { 200: 'P', 300: 'T', 900: 'O' },
      scheduleDateTime: 'space',
      scheduleZone: 'offset',
      transactionDate: 'compact',
      firstPage: 0,
      countOnlyTrue: 'yes',
      createdStatus: 201,
      severalMatches: 'array',
      errorMessage: 'error.detail',
      errorStatus: 422,
    },
  },
  dialect: {
    issue: {
      names: { ...issueNames, tierId: 'tier' },
      repeatIds: true,
      repeatedIdType: 'number',
      successStatuses: [201],
    },
    person: { attributesProperty: 'attributes' },
    sms: { promotional: 'P', transactional: 'T', optedOut: 'O' },
    success: {
      statuses: '2xx',
      proof: {
        issue: 'object',
        'issue-via-workflow': 'object',
        'update-via-workflow': 'object',
        transaction: 'object',
        reward: 'object',
        'schedule-update': 'object',
      },
      requireMetaData: true,
      compare: { ignore: ['templateId'], amountTolerance: 0.01, dateToleranceSeconds: 1 },
      denied: { flags: ['ok'], errors: ['error'], statusPattern: '^failed$', pattern: '\\brefused\\b' },
    },
    error: { message: 'error.detail', contentStatuses: [400, 422], configurationStatuses: [403, 404] },
    tooManyRequests: 'unknown',
    notApplied: { statuses: [503] },
    status: { numbers: { ACTIVE: 200, BLOCKED: 400 }, dead: ['BLOCKED'] },
    lookup: {
      absent: { statuses: [400], pattern: 'wallet pass not found' },
      trustWithoutMetaData: false,
      trustSharedWithoutMetaData: true,
      severalMatches: 'first',
      emptyList: 'absent',
    },
    list: {
      names: listNames,
      firstPage: 0,
      countOnlyValue: 'yes',
      timeFormat: 'iso-offset',
      statusAs: 'number',
      workflowProperty: 'workflow',
    },
    noSuchPass: { pattern: 'wallet pass not found' },
    duplicate: {
      pattern: '\\balready (?:in use|been used)\\b',
      templates: ['The value "<value>" of <name> has already been used'],
      beside: ['timestamp'],
      identifierNames: ['metaData'],
    },
    transaction: { identifyBy: 'serialNumber', serialNumberParameter: 'serial_no', dateFormat: 'compact' },
    reward: { identifyBy: 'passId', passIdParameter: 'pass_id', serialNumberParameter: 'serial' },
    schedule: {
      names: { dateTime: 'localTime', timeZone: 'zone' },
      filterNames: { ...filterNames, personId: 'person' },
      selectBy: 'query',
      leadMs: 1_000,
      confirmation: { pattern: '\\bscheduled\\b' },
      dateTimeFormat: 'space',
      timeZoneAs: 'offset',
      changeProperty: 'changes',
    },
    brandAttribute: { numbers: ['loyaltyNo'], names: brandAttributeNames },
    transactionAttribute: { numbers: ['till'], names: transactionAttributeNames, dataTypes },
  },
};

/** Every name of it begins with an x. */
const marked = <Names extends Readonly<Record<string, string>>>(names: Names): Names =>
  Object.fromEntries(Object.entries(names).map(([name, spelled]) => [name, `x-${spelled}`])) as Names;

/** Marked names, lists of errors, pages from 5, changes beside the schedule's own properties. */
const south: SpokenPartner = {
  name: 'south',
  seed: {
    wording: 2,
    spelling: {
      issue: marked({ ...issueNames, templateTierId: 'tier' }),
      list: marked(listNames),
      reward: { passId: 'x-pass', serialNumber: 'x-serial' },
      transaction: { serialNumber: 'x-card' },
      schedule: { scheduledDateTime: 'x-at', timeZone: 'x-in' },
      scheduleFilters: marked({ ...filterNames, person_id: 'person' }),
      brandAttribute: marked(brandAttributeNames),
      transactionAttribute: marked(transactionAttributeNames),
      personAttributes: 'extras',
      dataTypes: marked(dataTypes),
      smsValues: { 200: 1, 300: 2, 900: 3 },
      scheduleChange: 'top-level',
      scheduleDateTime: 'compact',
      scheduleZone: 'offset',
      transactionDate: 'iso-offset',
      firstPage: 5,
      countOnlyTrue: '1',
      createdStatus: 202,
      severalMatches: 'data',
      errorMessage: 'errors.0.text',
      errorStatus: 418,
    },
  },
  dialect: {
    issue: {
      names: marked({ ...issueNames, tierId: 'tier' }),
      repeatIds: true,
      repeatedIdType: 'number',
      successStatuses: [202],
    },
    person: { attributesProperty: 'extras' },
    sms: { promotional: 1, transactional: 2, optedOut: 3 },
    success: {
      statuses: [200],
      proof: {
        issue: 'any',
        'issue-via-workflow': 'any',
        'update-via-workflow': 'any',
        transaction: 'any',
        reward: 'any',
        'schedule-update': 'any',
      },
      requireMetaData: true,
      compare: { ignore: ['optOut', 'pass'], amountTolerance: 0.5, dateToleranceSeconds: 60 },
      denied: { flags: ['success'], errors: ['fault'], statusPattern: '^[45]\\d\\d$', pattern: '\\bdenied\\b' },
    },
    error: { message: ['fault.text', 'errors.0.text'], contentStatuses: [400, 418], configurationStatuses: [404, 405] },
    tooManyRequests: 'unknown',
    notApplied: { statuses: [502, 503] },
    status: { numbers: { ACTIVE: 200, LOST: 900 }, dead: ['LOST', '800'] },
    lookup: {
      absent: { statuses: [400, 410], pattern: 'pass does not exist' },
      trustWithoutMetaData: false,
      trustSharedWithoutMetaData: true,
      severalMatches: 'failed',
      emptyList: 'absent',
    },
    list: {
      names: marked(listNames),
      firstPage: 5,
      countOnlyValue: '1',
      timeFormat: 'milliseconds',
      statusAs: 'number',
      workflowProperty: 'tracking',
    },
    noSuchPass: { pattern: 'pass does not exist' },
    duplicate: {
      pattern: '\\bexists already\\b|\\bmust be unique\\b',
      templates: ["Bad request - <name> must be unique, '<value>' exists already"],
      beside: ['requestId'],
      identifierNames: ['memberId'],
    },
    transaction: { identifyBy: 'serialNumber', serialNumberParameter: 'x-card', dateFormat: 'iso-offset' },
    reward: { identifyBy: 'serialNumber', passIdParameter: 'x-pass', serialNumberParameter: 'x-serial' },
    schedule: {
      names: { dateTime: 'x-at', timeZone: 'x-in' },
      filterNames: marked({ ...filterNames, personId: 'person' }),
      selectBy: 'both',
      leadMs: 2_000,
      confirmation: { pattern: '^wallet update' },
      dateTimeFormat: 'compact',
      timeZoneAs: 'offset',
      changeAt: 'top-level',
    },
    brandAttribute: { numbers: ['loyaltyNo', 'age'], names: marked(brandAttributeNames) },
    transactionAttribute: {
      numbers: ['register'],
      names: marked(transactionAttributeNames),
      dataTypes: marked(dataTypes),
    },
  },
};

export const spokenPartners: readonly SpokenPartner[] = [plain, north, south];

/** @throws Error where there is none */
export function partnerCalled(name: SpokenPartner['name']): SpokenPartner {
  const partner = spokenPartners.find((each) => each.name === name);
  if (partner === undefined) throw new Error(`no partner is called ${name}`);
  return partner;
}

const common = {
  templates: [11],
  tiers: [1, 2],
  transactionTypes: [
    { id: 31, name: 'purchase', attributes: [{ name: 'store' }, { name: 'receipt', unique: true }] },
    { id: 32, name: 'refund', attributes: [{ name: 'receipt', unique: true }] },
    { id: 33, name: 'plain' },
  ],
  rewards: [{ id: 9001, points: -10 }],
};

/** A seed with the ids of specification/setup.yaml. */
export const contractSeed = {
  brands: [
    {
      id: 101,
      uniqueIdentifier: 'metaData.memberId',
      programs: [
        { ...common, id: 2001, workflows: [{ id: 78, does: 'update' }] },
        { ...common, id: 2002, enrolment: 'workflow', workflows: [{ id: 77, does: 'issue' }] },
      ],
    },
    { id: 102, uniqueIdentifier: 'email', programs: [{ ...common, id: 2101 }] },
  ],
};
