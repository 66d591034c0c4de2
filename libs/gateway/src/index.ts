export { PARTNER, type Partner, type TokenCheck, type TokenReport } from './partner.js';
export type * from './port/administration.js';
export { GatewayError } from './port/call.js';
export type * from './port/call.js';
export type * from './port/pass-listing.js';
export type * from './port/pass-operations.js';
export { listPageSizeDefault, listPagesMax } from './limits.js';
export { GatewayModule, type GatewayAsyncOptions } from './gateway.module.js';
export { previewAdministration, previewRequest, type RequestPreview, rereadAnswer } from './dry-run.js';
export { createGateway, type Gateway, type GatewayOptions } from './create-gateway.js';
export type { ClientCredentials, TokenObserver } from './token/token-source.js';
export type { ConnectionOptions } from './http/http-client.js';
export type { HttpRequest, HttpResult, HttpTransport } from './http/http-transport.js';
export {
  DialectRegistry,
  type CompiledDialect,
  type DialectLayers,
  type ProgramDialect,
} from './dialect/dialect-registry.js';
export { describeDialect, type Dialect, type DialectEntry, type DialectInput } from './dialect/dialect-schema.js';
export { DialectError, loadDialectFile, parseDialect } from './dialect/parse-dialect.js';
