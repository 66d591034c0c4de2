export { Partner, type TokenReport } from './partner.js';
export type * from './port/administration.js';
export { GatewayError } from './port/call.js';
export type * from './port/call.js';
export type * from './port/pass-listing.js';
export type * from './port/pass-operations.js';
export { listPagesMax } from './limits.js';
export { GatewayModule } from './gateway.module.js';
export {
  previewAdministration,
  previewRequest,
  previewSchedule,
  type RequestPreview,
  rereadAnswer,
} from './dry-run.js';
export { createGateway, type Gateway } from './create-gateway.js';
export type { GatewayOptions } from './gateway-options.js';
export { connectionTls } from './call/connections.js';
export { type ExchangeFacts, PartnerCallError } from './call/http-client.js';
export type { HttpRequest, HttpResult, HttpTransport } from './call/http-exchange.js';
export { DialectRegistry, type DialectLayers, passNamingOf } from './dialect/dialect-registry.js';
export { describeDialect, type DialectEntry, type DialectInput } from './dialect/dialect-schema.js';
export { DialectError, type DialectLayer, loadDialectFile, parseDialect } from './dialect/parse-dialect.js';
