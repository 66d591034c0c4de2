export { PARTNER, type Partner } from './partner.js';
export type * from './port/call.js';
export type * from './port/pass-operations.js';
export type * from './port/pass-selection.js';
export type * from './port/pass-listing.js';
export type * from './port/administration.js';
export type * from './port/token-check.js';
export { GatewayError } from './port/gateway-error.js';
export { listPageSizeDefault, listPagesMax } from './limits.js';
export { GatewayModule, type GatewayAsyncOptions } from './gateway.module.js';
export { previewAdministration } from './preview-administration.js';
export { previewRequest, type RequestPreview } from './preview-request.js';
export { rereadAnswer } from './reread-answer.js';
export { createGateway, type Gateway } from './create-gateway.js';
export type { ClientCredentials, GatewayOptions, TokenObserver } from './gateway-options.js';
export type { ConnectionOptions } from './http/dispatchers.js';
export type { HttpRequest } from './http/http-request.js';
export type { HttpResult } from './http/http-result.js';
export type { HttpTransport } from './http/http-transport.js';
export {
  DialectRegistry,
  type CompiledDialect,
  type DialectLayers,
  type ProgramDialect,
} from './dialect/dialect-registry.js';
export { describeDialect, type Dialect, type DialectEntry, type DialectInput } from './dialect/dialect-schema.js';
export { DialectError, loadDialectFile, parseDialect } from './dialect/parse-dialect.js';
