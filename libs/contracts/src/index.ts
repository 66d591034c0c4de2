export { describedIssuesMax, describeIssues, pathText } from './describe-issues.js';
export { DECOMPRESSED_BYTES_MAX, DEFAULT_ROLES, DEFAULT_TOPICS, ROLES } from './environment/environment.js';
export { unwrappedKeyProblem } from './environment/encryption-keys.js';
export type {
  DatabaseEnvironment,
  EncryptionKey,
  Environment,
  KafkaEnvironment,
  MailRelay,
  NoticesEnvironment,
  OidcEnvironment,
  OperationsEnvironment,
  OperatorToken,
  ProducerToken,
  SaslEnvironment,
  SchemaRegistryEnvironment,
  Secret,
  TokenClientEnvironment,
  TopicNames,
  TracingEnvironment,
  VaultEnvironment,
  WalletEnvironment,
} from './environment/environment.js';
export { extraHeadersOf } from './environment/extra-headers.js';
export { noticeKeysOf } from './environment/notices-environment.js';
export { parsePairs } from './environment/pairs.js';
export { readEnvironment, readEnvironmentParts } from './environment/read-environment.js';
export type { EnvironmentParts } from './environment/read-environment.js';
export { isLoopback, isSecureUrl } from './environment/variables.js';
export {
  consoleViewSchema,
  linkRedemptionSchema,
  meViewSchema,
  redeemedLinkSchema,
} from './operations-api/session-api.js';
export type { ConsoleView, MeView, RedeemedLink } from './operations-api/session-api.js';
export { acceptedSchema, eventSourceSchema, eventStatusSchema } from './operations-api/door-api.js';
export type { Accepted, EventStatus } from './operations-api/door-api.js';
export {
  INTENT_OPERATIONS,
  intentIdSchema,
  jobIdSchema,
  nameSchema,
  numberSchema,
  scriptsOf,
} from './operations-api/common.js';
export type { MoneyView } from './operations-api/common.js';
export {
  INTENT_STATUSES,
  intentActionResultSchema,
  intentCancellationSchema,
  intentCorrectionResultSchema,
  intentCorrectionSchema,
  intentCountQuerySchema,
  intentCountSchema,
  INTENT_DOWNLOAD_MAX,
  INTENT_FACETS,
  intentDownloadQuerySchema,
  intentValuesQuerySchema,
  intentValuesSchema,
  intentDetailsSchema,
  intentPageSchema,
  intentQuerySchema,
  intentReplaySchema,
  intentResolutionSchema,
} from './operations-api/intents-api.js';
export type {
  IntentActionResult,
  IntentCorrectionResult,
  IntentCountQuery,
  IntentCountView,
  IntentDownloadQuery,
  IntentFacet,
  IntentValuesQuery,
  IntentValuesView,
  IntentDetails,
  IntentPage,
  IntentQuery,
  IntentView,
  RequestPreviewView,
} from './operations-api/intents-api.js';
export {
  COUNTED_KINDS,
  doubtfulCallsSchema,
  ASK_RATE,
  JOB_KINDS,
  jobItemsPageSchema,
  jobItemsQuerySchema,
  jobLinesPageSchema,
  jobLinesQuerySchema,
  jobListQuerySchema,
  jobListSchema,
  jobRequestSchema,
  jobStartSchema,
  jobSteeringSchema,
  jobViewSchema,
  PARTNER_LIST_MAX,
  REPLAY_DEFAULTS,
  REREAD_TOPIC_RATE,
  replayQuerySchema,
  scheduleRequestSchema,
} from './operations-api/jobs-api.js';
export type {
  DoubtfulCalls,
  JobItemsPage,
  JobItemView,
  JobLinesPage,
  JobList,
  JobRequest,
  JobView,
  ReplayQuery,
  SendAs,
} from './operations-api/jobs-api.js';
export {
  cardLinksSchema,
  exportLineSchema,
  exportLinesText,
  listedPassPageSchema,
  memberCardLinksSchema,
  memberViewSchema,
  partnerViewQuerySchema,
  partnerViewSchema,
  passListQuerySchema,
  unmaskedMemberSchema,
  unmaskSchema,
} from './operations-api/members-api.js';
export type {
  ExportLine,
  ExportLinesPage,
  MemberCardLinks,
  MemberView,
  PartnerView,
  ListedPassPage,
  UnmaskedMember,
} from './operations-api/members-api.js';
export type { SearchHit, SearchQuery, SearchResult } from './operations-api/search-api.js';
export { NUMBER_KINDS, searchHitSchema, searchQuerySchema, searchResultSchema } from './operations-api/search-api.js';
export { groupListSchema, statsViewSchema, STREAM_EVENTS } from './operations-api/overview-api.js';
export type { GroupList, GroupView, StatsView, StreamEventName } from './operations-api/overview-api.js';
export {
  discardSchema,
  quarantineActionResultSchema,
  quarantineCountQuerySchema,
  quarantineCausesSchema,
  quarantineCountSchema,
  quarantinedDetailsSchema,
  quarantinePageSchema,
  quarantineQuerySchema,
  quarantineSourcesMax,
  resubmitSchema,
  unmaskedRecordSchema,
} from './operations-api/quarantine-api.js';
export type {
  CorrectedView,
  QuarantineActionResult,
  QuarantineCorrection,
  QuarantineCountQuery,
  QuarantineCausesView,
  QuarantineCountView,
  QuarantinedDetails,
  QuarantinedView,
  QuarantinePage,
  QuarantineQuery,
  UnmaskedRecord,
} from './operations-api/quarantine-api.js';
export {
  NOTICE_CHANNELS,
  noticeSchema,
  noticesViewSchema,
  noticeTrialResultSchema,
  noticeTrialSchema,
} from './operations-api/notices-api.js';
export type {
  Notice,
  NoticeCondition,
  NoticeDelivery,
  NoticesView,
  NoticeTrial,
  NoticeTrialResult,
} from './operations-api/notices-api.js';
export { seriesQuerySchema, seriesViewSchema } from './operations-api/series-api.js';
export type { SeriesQuery, SeriesView } from './operations-api/series-api.js';
export {
  auditPageSchema,
  auditQuerySchema,
  dialectViewSchema,
  doctorReportSchema,
  FACTOR_KINDS,
  PAUSE_DAYS_MAX,
  resumeRequestSchema,
  resumeResultSchema,
  type ResumeResult,
  waitingQuerySchema,
  waitingViewSchema,
  type WaitingView,
  pauseListSchema,
  pauseRequestSchema,
  pauseResultSchema,
  pauseViewSchema,
  programsStatusSchema,
  programsViewSchema,
  provisionedListSchema,
  provisionedViewSchema,
  reloadRequestSchema,
  reloadResultSchema,
  stepResolutionSchema,
} from './operations-api/service-api.js';
export type {
  AuditEntry,
  AuditPage,
  AuditQuery,
  DialectView,
  DoctorCheck,
  DoctorReport,
  PauseList,
  PauseResult,
  PauseView,
  ProgramsProcess,
  ProgramsStatus,
  ProgramsView,
  ProvisionedList,
  ProvisionedView,
  ReloadRequest,
  ReloadResult,
} from './operations-api/service-api.js';
export { ACTION_RECORDED, actionRecordedSchema } from './audit-events/action-recorded.js';
export type { ActionRecorded } from './audit-events/action-recorded.js';
export { OUTCOME_EVENT_SCHEMAS } from './outcome-events/outcome-event.js';
export type { IntentDelivered, OutcomeData, OutcomeEventName, PassIssued } from './outcome-events/outcome-event.js';
export {
  brandAttributeChangeSchema,
  brandAttributeInputSchema,
  brandAttributeSchema,
  brandChangeSchema,
  brandSchema,
  templateInputSchema,
  templateSchema,
} from './partner/brands.js';
export type {
  Brand,
  BrandAttribute,
  BrandAttributeChange,
  BrandAttributeInput,
  BrandChange,
  TemplateInput,
  WalletTemplate,
} from './partner/brands.js';
export {
  issueBodySchema,
  QUERY_TYPES,
  rewardQuerySchema,
  scheduleAnswerSchema,
  scheduleTimeSchema,
  tokenAnswerSchema,
  walletPageSchema,
  walletPageSizeMax,
  walletPassSchema,
} from './partner/passes.js';
export type { QueryType, ScheduleAnswer, ScheduleTime, TokenAnswer, WalletPass } from './partner/passes.js';
export {
  transactionAttributeInputSchema,
  transactionAttributeSchema,
  transactionBodySchema,
  transactionSchema,
  transactionTypeChangeSchema,
  transactionTypeSchema,
} from './partner/transactions.js';
export type {
  PartnerTransaction,
  TransactionAttribute,
  TransactionAttributeInput,
  TransactionType,
  TransactionTypeChange,
} from './partner/transactions.js';
export type { PartnerId } from './partner/values.js';
export { hookSchema } from './programs/hook-schema.js';
export type { Hook } from './programs/hook-schema.js';
export { isCurrencyCode } from './programs/currency.js';
export { parseProgramsFile } from './programs/parse-programs-file.js';
export type { ProgramsContext } from './programs/parse-programs-file.js';
export type {
  WorkflowMapping,
  AttributeSource,
  DeclaredBrandAttribute,
  DeclaredProgram,
  DeclaredTransactionAttribute,
  DeclaredTransactionType,
  Program,
  ProgramsFile,
  ProvisionSection,
  RewardMapping,
  TransactionMapping,
} from './programs/program.js';
export { pathsOf } from './programs/program.js';
export type { DeclaredSource, SourceRight } from './programs/source.js';
export { doorTopic, topicPattern } from './programs/source.js';
export { mapFileBytesMax } from './programs/source-schema.js';
export { PROGRAMS_FILE_EXAMPLE } from './programs/programs-file-example.js';
export {
  apiDepthMax,
  decodeUtf8,
  exceedsDepth,
  isExactAsFloat,
  isSameNumber,
  jsonDepthMax,
  lossyPaths,
  readJson,
  readJsonText,
} from './json/index.js';
export type { Reviver } from './json/index.js';
export { readYaml, yamlBytesMax } from './read-yaml.js';
export { parseRfc3339 } from './rfc3339.js';
export { invisibleIn, isVisible, mixesScripts, saysInvisible, visibleRule } from './visible-text.js';
