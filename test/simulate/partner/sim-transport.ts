import type { HttpRequest, HttpResult, HttpTransport } from '#gateway';

import type { Chance } from '../kernel/chance.js';
import type { SimProcess } from '../kernel/sim-process.js';
import type { Timeline } from '../kernel/timeline.js';
import { lost, neverConnected } from './partner-call.js';
import type { PartnerServer } from './partner-server.js';

const hopMsMax = 15;
/** Far below `inFlightMs`: what is on its way when sight of it is lost arrives soon. */
const slowHopMsMax = 900;
const slowAnswerMsMax = 4_000;
const connectMsMax = 800;

/**
 * A process' way to the partner. Once a request is on its way nothing calls it back: it arrives although its sender has
 * died, stands still or has given up.
 */
export class SimTransport implements HttpTransport {
  constructor(
    private readonly server: PartnerServer,
    private readonly process: SimProcess,
    private readonly around: { readonly timeline: Timeline; readonly chance: Chance },
  ) {}

  send(request: HttpRequest): Promise<HttpResult> {
    return new Promise((resolve) => {
      let hasEnded = false;
      const end = (result: HttpResult): void => {
        if (hasEnded) return;
        hasEnded = true;
        this.server.heard(result);
        cancel();
        resolve(result);
      };
      const cancel = this.process.after(request.timeoutMs, 'http timeout', () => end(lost('timeout')));
      this.depart(request, end);
    });
  }

  private depart(request: HttpRequest, end: (result: HttpResult) => void): void {
    const { timeline, chance } = this.around;
    const { weather } = this.server;
    if (weather.isDown || chance.happens(weather.failsToConnect)) {
      const refused = neverConnected(chance);
      this.process.after(chance.unit() * connectMsMax, 'http not connected', () => end(refused));
      return;
    }
    const isSlow = chance.happens(weather.isSlow);
    timeline.after(chance.unit() * (isSlow ? slowHopMsMax : hopMsMax), `${this.process.name} http`, () => {
      this.server.receive(request, (result) => {
        if (result === null) return;
        const delayMs = chance.unit() * (isSlow ? slowAnswerMsMax : hopMsMax);
        this.process.after(delayMs, `http ${result.status} ${result.phase}`, () => end(result));
      });
    });
  }
}
