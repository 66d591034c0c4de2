import type { IssueCommand, PassContent } from '#domain';
import type { PreparedRecord } from '#intents';

interface Enrolment {
  readonly program: string;
  readonly memberId: string;
  readonly content: PassContent;
  readonly offset: number;
  readonly now: number;
}

/** An enrolment as it comes out of decoding and routing. */
export function enrolmentRecord({ program, memberId, content, offset, now }: Enrolment): PreparedRecord {
  const reference = { brandId: '101', programId: '2001', uniqueId: memberId, uniqueIdKey: 'memberId' };
  const command: IssueCommand = { ...reference, operation: 'issue', content };
  const businessKey = { scope: 'enrolment', parts: [memberId], perGeneration: true } as const;
  const intent = { program, memberId, operation: 'issue', command, businessKey, businessContent: '' } as const;
  return {
    original: { offset, brokerAt: now, key: null, value: null, headersText: '{}' },
    verdict: {
      kind: 'routed',
      eventType: 'loyalty.member.enrolled.v1',
      eventSource: '/crm',
      occurredAt: now,
      eventKeyText: `${offset}`,
      eventContentText: `${offset}`,
      intents: [{ ...intent, waitsFor: null, parked: null, facts: {} }],
      cancels: [],
      memberEffects: null,
      enrolmentAsUpdate: null,
      profilePosition: null,
    },
  };
}
