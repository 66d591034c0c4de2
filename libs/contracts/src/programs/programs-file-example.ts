/** The programs file of contracts.md section 2, every setting spelled out; fits the sandbox's default seed. */
export const PROGRAMS_FILE_EXAMPLE = `unknownProgram: quarantine
programs:
  coffee-club:
    brandId: "101"
    programId: "2001"
    currency: EUR                              # another currency is unroutable
    notBefore: 2020-01-01                      # what is older was told by a dead clock
    uniqueIdKey: memberId
    lookup: { by: unique_id }
    enrolment: { via: issue }
    update:    { via: workflow, workflowId: "78" }
    templateId: 11
    tiers: { basic: 1, gold: 2 }
    personAttributes: { birthday: person.birthDate }
    purchaseKey: [purchaseId]
    refundUnknown: park
    ignoreReceipts: { attributes.training: true, attributes.kind: [gift-card, staff] }     # they do not count
    purchases:
      completed: { transactionTypeId: "31", attributes: { store: storeId, receipt: purchaseId, campaign: attributes.campaign, system: { value: pos } }, uniqueAttribute: receipt, uniqueEnforced: true }
      refunded:  { transactionTypeId: "32", sign: -1, attributes: { receipt: refundId, of: purchaseId }, uniqueAttribute: receipt, uniqueEnforced: true }
      voided:    { transactionTypeId: "33", sign: -1 }
      refundVoided: { transactionTypeId: "33" }     # a void that names a refund
      corrected: { transactionTypeId: "33" }        # by how much a sent sale's total changed
    rewards: { free-coffee: { id: "9001", pointsDelta: -10 } }
    revoked: { via: none }
    missingPass: { waitMs: 86400000 }
    onRejoin: keep
    missingPurchase: { waitMs: 3600000 }
    retries: { maxAttempts: 12, maxAgeMs: 259200000 }
    inFlightMs: 120000
    onUnknown: { issue: probe, update: probe, transaction: park, reward: park, schedule-update: park }
    onPark: { issue: block, transaction: continue, reward: continue }
    autoPause: { sameRefusals: 20 }
    limits: { requestsPerSecond: 200, concurrency: 32, replayShare: 0.2 }
    priority: { types: {}, sources: { /crm/import: low } }
    eventsMay: { erase: true, merge: true, perHour: 100 }   # the rest waits for a person
    dialect: {}
sources:                                       # events that are not ours yet; without any the native topics alone are read
  till:
    topics: [till.sales, '/^till\\.store-[0-9]+$/']
    format: json
    map: |
      { "specversion": "1.0", "id": receipt, "source": "/till", "type": "loyalty.purchase.completed.v1", "time": sold,
        "data": { "program": "coffee-club", "memberId": card, "purchaseId": receipt,
                  "total": { "minor": $minor(total, "EUR"), "currency": "EUR" } } }
    types: [loyalty.purchase.completed.v1]
    programs: [coffee-club]
    may: []
provision:                                     # what the partner is to have; put in place by a provisioning job only
  brands:
    "101":
      name: Coffee                             # 4.13; left out: it keeps the name that it has
      attributes:
        memberId: { id: "501", searchable: true, unique: true }      # is there already
        birthday: { dataType: date, description: "For the birthday cake", required: false, encrypted: true, statusCode: ACTIVE }
  programs:
    coffee-club:
      transactionTypes:
        "31":
          name: Purchase
          attributes:
            store: { exists: true }            # is there already
            receipt: { exists: true, unique: true }
            campaign: { exists: true }
            system: { exists: true }
            till: { dataType: string, required: false, description: "Which till", encrypted: false }
      templates:
        Winter: { passType: GENERIC, exists: false }
`;
