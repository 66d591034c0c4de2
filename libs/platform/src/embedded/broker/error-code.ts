/** Error codes of the Kafka protocol (protocol guide, "Error Codes"), as far as this broker answers with them. */
export const errorCode = {
  none: 0,
  offsetOutOfRange: 1,
  corruptMessage: 2,
  unknownTopicOrPartition: 3,
  messageTooLarge: 10,
  invalidTopic: 17,
  illegalGeneration: 22,
  inconsistentGroupProtocol: 23,
  unknownMemberId: 25,
  rebalanceInProgress: 27,
  unsupportedVersion: 35,
  topicAlreadyExists: 36,
  invalidPartitions: 37,
  nonEmptyGroup: 68,
  groupIdNotFound: 69,
} as const;
