import type { Socket } from 'node:net';
import type { BrokerState } from './api.js';
import { apis, apiVersionsKey } from './apis/index.js';
import { FrameSplitter } from './frame-splitter.js';
import { WireReader } from './wire-reader.js';
import { WireWriter } from './wire-writer.js';

const correlationIdBytes = 4;

const answerTo = async (frame: Buffer, broker: BrokerState): Promise<Buffer | undefined> => {
  const body = new WireReader(frame);
  const [key, version, correlationId] = [body.int16(), body.int16(), body.int32()];
  const clientId = body.nullableString() ?? '';
  const api = apis.get(key);
  const isKnown = api !== undefined && version >= api.versions[0] && version <= api.versions[1];
  // A Kafka broker, too, ends the connection when it is asked what it did not offer.
  if (api === undefined || (!isKnown && key !== apiVersionsKey)) throw new Error(`request ${key} v${version}`);
  const answer = await api.handle({ version, clientId, body }, broker);
  if (answer === undefined) return undefined;
  const bytes = answer.toBuffer();
  const header = new WireWriter().int32(bytes.length + correlationIdBytes).int32(correlationId);
  return header.raw(bytes).toBuffer();
};

const answerAll = async (requests: readonly Buffer[], socket: Socket, broker: BrokerState): Promise<void> => {
  for (const request of requests) {
    const answer = await answerTo(request, broker);
    if (answer !== undefined) socket.write(answer);
  }
};

/** Answers one client's requests, one after the other, as the protocol demands, until either side ends it. */
export const serveConnection = async (socket: Socket, broker: BrokerState): Promise<void> => {
  const splitter = new FrameSplitter();
  socket.on('error', () => undefined);
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      await answerAll(splitter.push(chunk), socket, broker);
    }
    socket.end();
  } catch {
    // A client that speaks something else, or is gone.
    socket.destroy();
  }
};
