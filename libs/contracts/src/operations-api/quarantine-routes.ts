import { recordBodyBytesMax } from './api-route.js';
import { ACT, READ } from './route-beginnings.js';
import {
  bulkDiscardSchema,
  bulkResubmitSchema,
  discardSchema,
  quarantineActionResultSchema,
  quarantineBulkResultSchema,
  resubmitSchema,
} from './quarantine-actions-api.js';
import { quarantinedDetailsSchema, quarantinePageSchema, quarantineQuerySchema } from './quarantine-api.js';

const one = { ...ACT, answer: quarantineActionResultSchema };
const many = { ...ACT, answer: quarantineBulkResultSchema };

const adminFor =
  'What erases a member takes an admin, and so does a correction of anything but time, order, person, texts, store, channel and attributes: the problem names the paths.';

/** What is asked about records set aside, and done with them. */
export const quarantineRoutes = [
  {
    ...READ,
    path: '/quarantine',
    summary: 'Records set aside',
    query: quarantineQuerySchema,
    answer: quarantinePageSchema,
  },
  { ...READ, path: '/quarantine/{id}', summary: 'One of them', answer: quarantinedDetailsSchema },
  {
    ...one,
    adminFor,
    path: '/quarantine/{id}/resubmit',
    summary: 'Take one in after all',
    body: resubmitSchema,
    bodyBytesMax: recordBodyBytesMax,
  },
  { ...one, path: '/quarantine/{id}/discard', summary: 'Give one up', body: discardSchema },
  {
    ...many,
    adminFor: 'Records that erase a member take an admin; for others they count as failed.',
    path: '/quarantine/resubmit',
    summary: 'Take many in after all',
    body: bulkResubmitSchema,
  },
  { ...many, path: '/quarantine/discard', summary: 'Give many up', body: bulkDiscardSchema },
] as const;
