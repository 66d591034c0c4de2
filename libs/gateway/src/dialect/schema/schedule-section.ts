import { z } from 'zod';
import { distinctNames, name, partnerName } from './entries.js';

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

const DOCUMENTED = ['scheduledName', 'scheduledTimestamp', 'filters'];

const timeNames = distinctNames(
  {
    dateTime: name('scheduledDateTime', 'Local date and time of a schedule, `yyyy-MM-ddTHH:mm:ss` (4.4).'),
    timeZone: name('timeZone', 'IANA time zone of that date and time.'),
  },
  DOCUMENTED,
);

const entries = z.strictObject({
  names: timeNames.prefault({}),
  filterNames: filterNames.prefault({}).describe('Keys of `filters` beside unique_id (4.4).'),
  selectBy: z
    .enum(['filters', 'query', 'both'])
    .default('filters')
    .describe('Where the unique_id of a single pass goes: into `filters`, into the query, or into both.'),
  leadMs: z
    .int()
    .min(0)
    .max(86_400_000)
    .default(60_000)
    .describe('How long after the call a change takes effect that is to happen as soon as possible; milliseconds.'),
  changeProperty: partnerName
    .nullable()
    .default(null)
    .describe('Body property of 4.4 that carries the change. Without it `update: {via: schedule}` is refused.'),
});

export const scheduleSection = entries.refine(
  ({ names, changeProperty }) =>
    changeProperty === null || ![...Object.values(names), ...DOCUMENTED].includes(changeProperty),
  { error: 'is the name of another property', path: ['changeProperty'] },
);
