import kafkajs from 'kafkajs';

import { kafkaErrorFields } from './kafka-error-fields.js';

describe('a failure of Kafka in the log', () => {
  it('is told in the words of KafkaJS', () => {
    expect(kafkaErrorFields(new kafkajs.KafkaJSConnectionError('Connection timeout'))).toEqual({
      error: 'Connection timeout',
    });
  });

  it('quotes nothing of what somebody else said', () => {
    const foreign = new SyntaxError('Unexpected token in "ada@example.org"');
    // KafkaJS keeps its cause so; its types do not say it.
    const passedOn = Object.assign(new kafkajs.KafkaJSNonRetriableError(foreign), { cause: foreign });
    const fields = [kafkaErrorFields(foreign), kafkaErrorFields(passedOn)];
    expect(fields).toMatchObject([{ error: 'SyntaxError' }, { cause: { error: 'SyntaxError' } }]);
    expect(JSON.stringify(fields)).not.toContain('ada@');
  });
});
