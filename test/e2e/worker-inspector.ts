import { waitUntil } from '#embedded';
import type { RunningProcess } from '#test-support';

/** Starts a daemon so that `evaluateInWorker` reaches it. */
export const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** What the inspector says: attached workers are what we wait for. */
interface InspectorMessage {
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly workerInfo: { readonly title: string } };
}

const patient = { timeoutMs: 30_000 };

/**
 * Runs code in a worker of an inspected daemon, as a defect of ours would. Its result is not waited for: it may never come.
 * @param number of the worker, from 1
 */
export async function evaluateInWorker(daemon: RunningProcess, number: number, expression: string): Promise<void> {
  const listening = (): string | undefined => /ws:\/\/\S+/.exec(daemon.stderr())?.[0];
  const address = await waitUntil(listening, { what: 'the inspector to listen', ...patient });
  const inspector = new WebSocket(address);
  const send = (method: string, params: object): void => {
    inspector.send(JSON.stringify({ id: 1, method, params }));
  };
  let session: string | undefined;
  inspector.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as InspectorMessage;
    if (method !== 'NodeWorker.attachedToWorker' || params === undefined) return;
    if (params.workerInfo.title.includes(`worker-${number}`)) session = params.sessionId;
  });
  await new Promise((resolve) => inspector.addEventListener('open', resolve, { once: true }));
  send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await waitUntil(() => session, { what: `worker ${number} at the inspector`, ...patient });
  send('NodeWorker.sendMessageToWorker', {
    sessionId,
    message: JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }),
  });
  // Told before it is closed.
  await waitUntil(() => inspector.bufferedAmount === 0, { what: 'the word to be sent', ...patient });
  inspector.close();
}
