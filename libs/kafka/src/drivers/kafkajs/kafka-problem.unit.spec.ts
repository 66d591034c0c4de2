import kafkajs from 'kafkajs';

import { KafkaError, kafkaProblem } from '../../driver.js';
import { troubleOf, withKafkaErrors } from './kafka-problem.js';

describe('what an error of KafkaJS tells', () => {
  const protocolError = (type: string): Error =>
    new kafkajs.KafkaJSProtocolError(Object.assign(new Error('x'), { type, code: 0, retriable: false }));

  it.each([
    ['SASL_AUTHENTICATION_FAILED', 'authentication'],
    ['TOPIC_AUTHORIZATION_FAILED', 'not-allowed'],
    ['GROUP_COORDINATOR_NOT_AVAILABLE', 'no-coordinator'],
    ['LEADER_NOT_AVAILABLE', 'no-leader'],
    ['INVALID_REQUEST', 'other'],
  ])('%s is %s, however deep it lies', (type, kind) => {
    const wrapped = new Error('outside', { cause: protocolError(type) });
    expect(troubleOf(wrapped)).toEqual({ kind, code: type, broker: null });
  });

  it('knows a refused login, a silent broker and what is no error', () => {
    const login = Object.create(kafkajs.KafkaJSSASLAuthenticationError.prototype) as Error;
    expect(troubleOf(login).kind).toBe('authentication');
    expect(troubleOf(new kafkajs.KafkaJSRequestTimeoutError('late')).kind).toBe('timeout');
    expect(troubleOf('nonsense')).toEqual({ kind: 'other', code: 'string', broker: null });
  });

  it('leaves the driver as the error of the port, with what KafkaJS said as its cause', async () => {
    const cause = new kafkajs.KafkaJSRequestTimeoutError('late');
    const error: unknown = await withKafkaErrors(() => Promise.reject(cause)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(KafkaError);
    expect(error).toMatchObject({ message: 'late', code: 'KafkaJSRequestTimeoutError', cause });
    expect(kafkaProblem(error)).toEqual({ kind: 'timeout', code: 'KafkaJSRequestTimeoutError', broker: null });
  });
});
