export { FORMAT_NAMES, formatProblem, openFormat, openNamed } from './open-format.js';
export type { FormatName, FormatOptions } from './open-format.js';
export { registrySettings } from './registry/registry-settings.js';
export type { RegistryLogin, RegistrySettings } from './registry/registry-settings.js';
export { MissingSchemaError, SchemaRegistry, UnusableSchemaError } from './registry/schema-registry.js';
export type { Documents, ExactDocument, SourceFormat } from './source-format.js';
export { UnavailableError } from './source-format.js';
export { textsOfBatch } from './cloud-events-batch.js';
