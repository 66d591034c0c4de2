import { z } from 'zod';
import { distinctNames, name, partnerName } from './entries.js';

const listNames = distinctNames(
  {
    pageSize: name('pageSize', 'Query parameter for the page size (4.5).'),
    pageNumber: name('pageNumber', 'Query parameter for the page number.'),
    countOnly: name('countOnly', 'Query parameter that asks for the count only.'),
    templateId: name('templateId', 'Query parameter for the template.'),
    templateTierId: name('templateTierId', 'Query parameter for the tier.'),
    statusCode: name('statusCode', 'Query parameter for the status.'),
    statusCodeQueryType: name('statusCodeQueryType', 'Query parameter for how the status is compared.'),
    lastUpdated: name('lastUpdated', 'Query parameter for the time of the last update.'),
    lastUpdatedQueryType: name('lastUpdatedQueryType', 'Query parameter for how that time is compared.'),
    lastUpdatedStartDate: name('lastUpdatedStartDate', 'Query parameter for the earliest last update.'),
    lastUpdatedEndDate: name('lastUpdatedEndDate', 'Query parameter for the latest last update.'),
    serialNumber: name('serialNumber', 'Query parameter for the serial number.'),
    groupId: name('groupId', 'Query parameter for the group.'),
  },
  ['email', 'unique_id'],
);

export const listSection = z.strictObject({
  names: listNames.prefault({}),
  firstPage: z.int().min(0).max(1_000).default(1).describe('Number of the first page (4.5).'),
  countOnlyValue: z.string().min(1).max(100).default('true').describe('What `list.names.countOnly` is set to.'),
  timeFormat: z
    .enum(['iso', 'iso-offset', 'milliseconds'])
    .default('iso')
    .describe(
      'How the last-updated filters are written: `iso` 2026-11-21T09:15:04.000Z, `iso-offset` ' +
        '2026-11-21T09:15:04.000+0000 (both are readings of the documented format), `milliseconds` 1795252504000.',
    ),
  statusAs: z
    .enum(['name', 'number'])
    .default('name')
    .describe('Whether a status filter is sent by its name or, through `status.numbers`, by its number.'),
  workflowProperty: partnerName
    .nullable()
    .default(null)
    .describe(
      'Property of a listed pass that tracks the execution of a workflow. It is kept with the pass, nothing of ours ' +
        'reads it; named here, a listed pass that holds something other than an object or a list there raises an alarm.',
    ),
});
