import { parseDialect } from '#gateway';

import type { Finding } from './assumptions.js';
import { loadAssumptions } from './assumptions.js';
import { ContractRun, planContract } from './run-contract.js';
import { loadSetup } from './specification.js';
import type { ContractSandbox } from './testing/contract-sandbox.js';
import { contractSandbox } from './testing/contract-sandbox.js';
import { contractSeed } from './spoken-partners.js';
import { SandboxDials } from './wallet-sandbox.js';

type Layer = Readonly<Record<string, unknown>>;

/** Every name that is not shown, otherwise than assumed. */
const namesSeed = {
  wording: 0,
  spelling: {
    issue: {
      ipAddress: 'ip',
      templateTierId: 'tier',
      templateId: 'template',
      programId: 'program',
      brandId: 'brand',
      groupId: 'group',
      currentMessage: 'text',
      smsSubscription: 'sms',
    },
    list: {
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
    },
    reward: { passId: 'pass_id', serialNumber: 'serial' },
    transaction: { serialNumber: 'serial_no' },
    schedule: { scheduledDateTime: 'localTime', timeZone: 'zone', update: 'changes' },
    scheduleFilters: {
      person_id: 'person',
      email: 'mail',
      serialNumber: 'serial',
      groupId: 'group',
      templateId: 'template',
      templateTierId: 'tier',
      statusCode: 'state',
    },
    brandAttribute: { brandId: 'brand', required: 'mandatory', encrypted: 'secret', statusCode: 'state' },
    transactionAttribute: {
      description: 'text',
      transactionTypeId: 'typeId',
      brandId: 'brand',
      programId: 'program',
      type: 'sort',
      uniqueKey: 'isUnique',
      encrypted: 'secret',
    },
  },
};

const namesDialect: Layer = {
  issue: {
    names: {
      ipAddress: 'ip',
      tierId: 'tier',
      templateId: 'template',
      programId: 'program',
      brandId: 'brand',
      groupId: 'group',
      currentMessage: 'text',
      smsSubscription: 'sms',
    },
  },
  list: {
    names: {
      ...namesSeed.spelling.list,
    },
  },
  reward: { passIdParameter: 'pass_id', serialNumberParameter: 'serial' },
  transaction: { serialNumberParameter: 'serial_no' },
  schedule: {
    names: { dateTime: 'localTime', timeZone: 'zone' },
    changeProperty: 'changes',
    filterNames: {
      personId: 'person',
      email: 'mail',
      serialNumber: 'serial',
      groupId: 'group',
      templateId: 'template',
      templateTierId: 'tier',
      statusCode: 'state',
    },
  },
  brandAttribute: { names: { ...namesSeed.spelling.brandAttribute } },
  transactionAttribute: { names: { ...namesSeed.spelling.transactionAttribute } },
};

/** Every value and shape that is not shown, otherwise than assumed. */
const valuesSeed = {
  wording: 1,
  spelling: {
    personAttributes: 'attributes',
    dataTypes: { string: 'TEXT', number: 'DECIMAL', boolean: 'FLAG', date: 'DAY' },
    smsValues: { 200: 'PROMOTIONAL', 300: 'TRANSACTIONAL', 900: 'OPTED_OUT' },
    statusNames: { ACTIVE: 'LIVE' },
    statusNumbers: { 200: 1 },
    firstPage: 0,
    countOnlyTrue: 'yes',
    createdStatus: 201,
  },
};

const valuesDialect: Layer = {
  person: { attributesProperty: 'attributes' },
  transactionAttribute: { dataTypes: valuesSeed.spelling.dataTypes },
  sms: { promotional: 'PROMOTIONAL', transactional: 'TRANSACTIONAL', optedOut: 'OPTED_OUT' },
  status: { numbers: { LIVE: 1 } },
  list: { firstPage: 0, countOnlyValue: 'yes' },
  success: { statuses: [200] },
  issue: { successStatuses: [201] },
};

/** Every form of a time that is not shown, otherwise than assumed. */
const timesSeed = {
  wording: 2,
  spelling: {
    scheduleChange: 'top-level',
    scheduleDateTime: 'space',
    scheduleZone: 'offset',
    transactionDate: 'compact',
  },
};

const timesDialect: Layer = {
  schedule: { changeAt: 'top-level', dateTimeFormat: 'space', timeZoneAs: 'offset' },
  transaction: { dateFormat: 'compact' },
};

/** Refusals of another shape and status than assumed, where neither is shown. */
const errorsSeed = { wording: 0, spelling: { errorMessage: 'errors.0.detail', errorStatus: 418 } };

const errorsDialect: Layer = { error: { message: 'errors.0.detail', contentStatuses: [400, 418] } };

/** What the suite knows nothing about, whatever the partner does. */
const unprobed = [
  'success.proof.issue',
  'success.proof.issue-via-workflow',
  'success.proof.update-via-workflow',
  'success.proof.transaction',
  'success.proof.reward',
  'success.proof.schedule-update',
  'success.requireMetaData',
  'success.denied.flags',
  'success.denied.errors',
  'success.denied.statusPattern',
  'success.denied.pattern',
  'success.compare.ignore',
  'success.compare.amountTolerance',
  'success.compare.dateToleranceSeconds',
  'schedule.confirmation.pattern',
  'error.configurationStatuses',
  'brandAttribute.numbers',
  'transactionAttribute.numbers',
  'duplicate.templates',
  'duplicate.beside',
  'tooManyRequests',
  'notApplied.statuses',
  'evidence.headers',
  'status.dead',
  'lookup.trustWithoutMetaData',
  'lookup.trustSharedWithoutMetaData',
  'lookup.severalMatches',
  'lookup.emptyList',
  'list.workflowProperty',
  'schedule.selectBy',
  'schedule.leadMs',
  'schedule.changeAt',
  // Without a token nothing is probed.
  ...loadAssumptions().assumptions.flatMap(({ entry }) => (entry.startsWith('token.') ? [entry] : [])),
];

/** The paths of a dialect's entries. */
function entriesOf(layer: Layer, prefix = ''): string[] {
  return Object.entries(layer).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && path !== 'status.numbers';
    return isGroup ? entriesOf(value as Layer, `${path}.`) : [path];
  });
}

/** Found out by how the partner speaks of it. */
const isRecognised = (entry: string): boolean =>
  loadAssumptions().assumptions.find((each) => each.entry === entry)?.recognised !== undefined;

const entries = (findings: readonly Finding[], verdict: Finding['verdict']): string[] =>
  findings.filter((finding) => finding.verdict === verdict).map(({ entry }) => entry);

describe.each([
  {
    what: 'names',
    spelled: namesSeed,
    matching: namesDialect,
    standard: { schedule: { changeProperty: 'update' } },
    // These rest on a name that is wrong here.
    open: [
      'issue.repeatedIdType',
      'sms.promotional',
      'sms.transactional',
      'sms.optedOut',
      'list.countOnlyValue',
      'list.timeFormat',
      'list.statusAs',
      'schedule.dateTimeFormat',
      'schedule.timeZoneAs',
    ],
    changed: entriesOf(namesDialect),
  },
  {
    what: 'values',
    spelled: valuesSeed,
    matching: valuesDialect,
    standard: { schedule: { changeProperty: 'update' }, success: { statuses: [200] } },
    open: [
      'transactionAttribute.names.transactionTypeId',
      'transactionAttribute.names.brandId',
      'transactionAttribute.names.programId',
      'transactionAttribute.names.type',
    ],
    // 200 is what other calls answer with, as assumed.
    changed: entriesOf(valuesDialect).filter((entry) => entry !== 'success.statuses'),
  },
  {
    what: 'times',
    spelled: timesSeed,
    matching: timesDialect,
    standard: {},
    // A zone is not looked at beside a date-time that is refused, nor anything of a transaction beside such a date.
    open: [
      'schedule.changeProperty',
      'schedule.timeZoneAs',
      'error.contentStatuses',
      'noSuchPass.pattern',
      'transaction.identifyBy',
      'transaction.negativeAmounts',
      'transaction.serialNumberParameter',
    ],
    changed: ['schedule.dateTimeFormat', 'transaction.dateFormat'],
  },
  {
    what: 'refusals',
    spelled: errorsSeed,
    matching: errorsDialect,
    standard: { schedule: { changeProperty: 'update' } },
    // All of these are told by the words of a refusal.
    open: [
      'noSuchPass.pattern',
      'brandAttribute.names.encrypted',
      'brandAttribute.names.required',
      'brandAttribute.names.statusCode',
      'list.names.lastUpdatedQueryType',
      'list.names.statusCode',
      'list.names.statusCodeQueryType',
      'schedule.filterNames.email',
      'schedule.filterNames.groupId',
      'schedule.filterNames.personId',
      'schedule.filterNames.serialNumber',
      'schedule.filterNames.statusCode',
      'schedule.filterNames.templateId',
      'schedule.filterNames.templateTierId',
      'schedule.names.dateTime',
      'schedule.names.timeZone',
      'transactionAttribute.names.description',
      'transactionAttribute.names.encrypted',
      'transactionAttribute.names.uniqueKey',
    ],
    changed: ['error.message', 'error.contentStatuses'],
  },
])('a partner with other $what than assumed', ({ spelled, matching, standard, open, changed, what }) => {
  let sandbox: ContractSandbox;

  beforeAll(async () => {
    sandbox = await contractSandbox({ ...contractSeed, ...spelled });
  });

  afterAll(() => sandbox.stop());

  const findingsWith = async (dialect: Layer, run: string): Promise<Finding[]> => {
    const isLive = what === 'values';
    const setup = { ...loadSetup(null), ...(isLive ? { status: { name: 'LIVE', number: 1 } } : {}) };
    parseDialect('dialect', dialect);
    return new ContractRun({
      plan: planContract(dialect, null),
      target: sandbox.target,
      setup,
      dialect,
      run,
    }).findings();
  };

  it('is told which entries are wrong, and no others', async () => {
    const findings = await findingsWith(standard, 'wrong');
    expect(entries(findings, 'wrong').sort()).toEqual([...changed].sort());
    expect(entries(findings, 'cannot tell').sort()).toEqual([...unprobed, ...open].sort());
  });

  it('is told of each wrong entry what was seen and what to set', async () => {
    const findings = await findingsWith(standard, 'told');
    const wrong = findings.filter(({ verdict }) => verdict === 'wrong');
    expect(wrong.filter(({ entry, set, seen }) => set?.startsWith(`${entry}: `) !== true || seen === '')).toEqual([]);
  });

  it('finds everything right with its own dialect', async () => {
    const isTopLevel = what === 'times';
    const findings = await findingsWith({ schedule: { changeProperty: 'update' }, ...matching }, 'right');
    expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
    const open = isTopLevel ? ['schedule.changeProperty'] : [];
    expect(entries(findings, 'cannot tell').sort()).toEqual([...unprobed, ...open].sort());
  });
});

/** What is documented stays so: a pass is ACTIVE, 200, and whatever is not an issue is answered with 200. */
const { statusNames: _names, statusNumbers: _numbers, createdStatus: _created, ...openValues } = valuesSeed.spelling;
const { status: _status, issue: _issue, success: _success, ...openValuesDialect } = valuesDialect;

describe.each([
  ['names', namesSeed, namesDialect],
  ['values', { wording: 1, spelling: openValues }, openValuesDialect],
  ['times', timesSeed, timesDialect],
  ['refusals', errorsSeed, errorsDialect],
])('a partner with other %s than assumed that is as documented', (_what, spelled, dialect) => {
  let sandbox: ContractSandbox;

  beforeAll(async () => {
    sandbox = await contractSandbox({ ...contractSeed, ...spelled });
  });

  afterAll(() => sandbox.stop());

  it('has every row of the specification by its own dialect, plain and through the gateway', async () => {
    const plan = planContract(dialect, null);
    const parts = { plan, target: sandbox.target, setup: loadSetup(null), dialect, run: 'rows' };
    const suite = new ContractRun(parts);
    const rows = (await Promise.all([suite.plainRows(), suite.gatewayRows()])).flat();
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  });
});

describe('a partner that words its refusals otherwise', () => {
  let sandbox: ContractSandbox;

  beforeAll(async () => {
    sandbox = await contractSandbox(contractSeed);
  });

  afterAll(() => sandbox.stop());

  it.each([0, 1, 2, 3, 4, 5])('is understood: wording %d', async (wording) => {
    const dials = new SandboxDials(sandbox.target.authUrl);
    await dials.put([{ operation: '*', kind: 'message', wording }]);
    const dialect = { schedule: { changeProperty: 'update' } };
    const parts = { plan: planContract(dialect, null), target: sandbox.target, setup: loadSetup(null), dialect };
    const findings = await new ContractRun({ ...parts, run: `wording${wording}` }).findings();
    await dials.clear();
    expect(findings.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
    const open = entries(findings, 'cannot tell').filter((entry) => !unprobed.includes(entry));
    // One wording names nothing of what it refuses, which leaves open what rests on that.
    expect(open.filter((entry) => wording !== 3 || !isRecognised(entry))).toEqual([]);
  });
});
