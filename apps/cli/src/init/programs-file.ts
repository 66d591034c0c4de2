import { sampleRecords } from './sample-records.js';
import type { Answers } from './questions.js';
import { none } from './questions.js';

/** The programs file, with a source for each topic that was named. */
export function programsFile(answers: Answers): string {
  const { program, brandId, programId, currency, purchaseType, refundType } = answers;
  const sources = sampleRecords(answers);
  return `# What becomes of events: docs/configuration.md, The programs file. A running daemon follows changes of it.
unknownProgram: quarantine
programs:
  '${program}':
    brandId: '${brandId}'
    programId: '${programId}'
    currency: ${currency}
    # Where your member's id lies in the pass: a lookup finds it there.
    uniqueIdKey: memberId
    enrolment: { via: issue }
    purchases:
      completed:
        transactionTypeId: '${purchaseType}'
        attributes: { receipt: purchaseId }
        uniqueAttribute: receipt
        # Say true once the contract suite has shown that the partner refuses a second one: docs/contract-suite.md.
        uniqueEnforced: false
${refundType === none ? '' : refund(refundType)}${sources.length === 0 ? '' : sourcesText(answers)}`;
}

const refund = (type: string): string => `      refunded:
        transactionTypeId: '${type}'
        sign: -1
        attributes: { receipt: refundId }
        uniqueAttribute: receipt
        uniqueEnforced: false
`;

function sourcesText(answers: Answers): string {
  const parts = [
    answers.customersTopic === none ? '' : customers(answers),
    answers.ordersTopic === none ? '' : orders(answers),
  ];
  return `
# How your records become events: docs/sources.md. The maps are JSONata: docs/maps.md. Try them: loyaltyd lint.
sources:
${parts.join('')}`;
}

const customers = ({ customersTopic, program }: Answers): string => `  customers:
    topics: ['${customersTopic}']
    format: json
    types: [loyalty.member.enrolled.v1]
    programs: ['${program}']
    map: |
      {
        "type": "loyalty.member.enrolled.v1",
        "id": "customer-" & $required(id, "id"),
        "source": "/shop/customers",
        "time": $time(created_at),
        "data": {
          "program": "${program}",
          "memberId": id,
          "person": { "firstName": first_name, "lastName": last_name, "email": email }
        }
      }
`;

const orders = ({ ordersTopic, program, refundType }: Answers): string => `  orders:
    topics: ['${ordersTopic}']
    format: json
    types: [loyalty.purchase.completed.v1${refundType === none ? '' : ', loyalty.purchase.refunded.v1'}]
    programs: ['${program}']
    map: |
      status = "paid" ? {
        "type": "loyalty.purchase.completed.v1",
        "id": "paid-" & $required(id, "id"),
        "source": "/shop/orders",
        "time": $time(paid_at),
        "data": {
          "program": "${program}",
          "memberId": customer,
          "purchaseId": id,
          "total": $money(total, currency)
        }
      }${refundType === none ? ' : []' : refundMap(program)}
`;

const refundMap = (program: string): string => ` : status = "refunded" ? {
        "type": "loyalty.purchase.refunded.v1",
        "id": "refund-" & $required(refund, "refund"),
        "source": "/shop/orders",
        "time": $time(refunded_at),
        "data": {
          "program": "${program}",
          "memberId": customer,
          "refundId": refund,
          "purchaseId": id,
          "total": $money(refunded, currency)
        }
      } : []`;
