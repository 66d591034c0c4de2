/** Of one schema with all that it refers to, as text. */
export const schemaBytesMax = 1024 * 1024;
/** What one schema refers to, however far. */
export const schemaReferencesMax = 200;
/** Fields, symbols and types that one schema declares, with all that it refers to: the time to compile them grows by their square. */
export const schemaMembersMax = 5_000;
/** How far references lead to others. */
export const referenceDepthMax = 32;
/** Compiled schemas that are kept, of one source. */
export const compiledSchemasMax = 500;
/** What one record may hold when it is read: some values of a schema need no byte of their own. */
export const valuesMax = 1024 * 1024;
/** Bytes of the digits of one decimal: more than 1,000 digits. */
export const decimalBytesMax = 512;
/** How far the point of a decimal may be moved. */
export const decimalScaleMax = 1_000;
/** How deep a message may lie within others of its schema. */
export const messageIndexesMax = 32;

/**
 * How long a record waits for a schema that the registry does not know: it may be replicated late. Then the record is set aside, for
 * a made-up number must not keep all others from being read; it is lost neither way.
 */
export const lateSchemaMs = 30_000;
/**
 * After that was in vain, records of the source with other numbers that nobody knows wait for nothing for so long: each record could
 * name one of its own.
 */
export const patienceRestMs = 600_000;
/** Ids that are waited for at a time; beyond that the longest known is forgotten. */
export const missingSchemasMax = 1_000;
/** Requests for one schema, and how long after the first the second comes; each further one waits twice as long. */
export const registryAttemptsMax = 3;
export const registryBackoffMs = 200;
/** After a registry was away nobody asks it for so long. */
export const registryRestMs = 1_000;
