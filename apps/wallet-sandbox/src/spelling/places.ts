/** A place where requests or answers have names that partner-api.md does not show. */
interface Place<Open extends string> {
  /** Names that are not shown: this sandbox's choice, and a seed may choose otherwise. */
  readonly open: readonly Open[];
  /** Names that are shown: a chosen one must not be one of them. */
  readonly documented: readonly string[];
}

const place = <Open extends string>(open: readonly Open[], documented: readonly string[]): Place<Open> => ({
  open,
  documented,
});

export const places = {
  /** Body of 4.2 and 4.3, and the change of 4.4. */
  issue: place(
    [
      'ipAddress',
      'templateTierId',
      'templateId',
      'programId',
      'brandId',
      'groupId',
      'currentMessage',
      'smsSubscription',
    ],
    ['person', 'passdata'],
  ),
  /** Query of 4.5. */
  list: place(
    [
      'pageSize',
      'pageNumber',
      'countOnly',
      'templateId',
      'templateTierId',
      'statusCode',
      'statusCodeQueryType',
      'lastUpdated',
      'lastUpdatedQueryType',
      'lastUpdatedStartDate',
      'lastUpdatedEndDate',
      'serialNumber',
      'groupId',
    ],
    ['email', 'unique_id'],
  ),
  /** Query of 4.6. */
  reward: place(['passId', 'serialNumber'], ['unique_id']),
  /** Query of 4.7. */
  transaction: place(['serialNumber'], ['unique_id']),
  /** Body of 4.4. */
  schedule: place(['scheduledDateTime', 'timeZone', 'update'], ['scheduledName', 'scheduledTimestamp', 'filters']),
  /** `filters` of 4.4's body. */
  scheduleFilters: place(
    ['person_id', 'email', 'serialNumber', 'groupId', 'templateId', 'templateTierId', 'statusCode'],
    ['unique_id'],
  ),
  /** Body and answer of 4.10 and 4.11. */
  brandAttribute: place(
    ['brandId', 'required', 'encrypted', 'statusCode'],
    ['brandAttributeId', 'name', 'description', 'dataType', 'searchable', 'unique'],
  ),
  /** Body and answer of 4.9. */
  transactionAttribute: place(
    ['description', 'transactionTypeId', 'brandId', 'programId', 'type', 'uniqueKey', 'encrypted'],
    ['transactionAttributeId', 'name', 'dataType', 'required'],
  ),
} as const;

export type PlaceName = keyof typeof places;
