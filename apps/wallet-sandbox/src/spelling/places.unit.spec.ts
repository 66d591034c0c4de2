import type { z } from 'zod';
import {
  brandAttributeBodySchema,
  brandAttributeChangesSchema,
  brandAttributeSchema,
  transactionAttributeBodySchema,
  transactionAttributeSchema,
} from '../contract/administration-bodies.js';
import { listingQuerySchema, rewardQuerySchema, transactionQuerySchema } from '../contract/queries.js';
import { scheduleBodySchema } from '../contract/schedule-body.js';
import { issueBodySchema, workflowBodySchema } from '../contract/wallet-pass.js';
import { type PlaceName, places } from './places.js';

/** The schemas that validate or describe what stands in a place; together they know its names. */
const schemas: Readonly<Record<PlaceName, readonly z.ZodObject[]>> = {
  issue: [issueBodySchema, workflowBodySchema],
  list: [listingQuerySchema],
  reward: [rewardQuerySchema],
  transaction: [transactionQuerySchema],
  schedule: [scheduleBodySchema],
  scheduleFilters: [scheduleBodySchema.shape.filters.unwrap()],
  brandAttribute: [brandAttributeBodySchema, brandAttributeChangesSchema, brandAttributeSchema],
  transactionAttribute: [transactionAttributeBodySchema, transactionAttributeSchema],
};

it.each(Object.keys(places) as PlaceName[])('the names of %s are those of its schemas', (name) => {
  const known = new Set(schemas[name].flatMap((schema) => Object.keys(schema.shape)));
  expect(new Set([...places[name].open, ...places[name].documented])).toEqual(known);
});
