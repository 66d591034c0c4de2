import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';

import { BodiesUnderWay } from './bodies-under-way.js';

class Response extends EventEmitter {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

interface Body {
  readonly response: Response;
  /** Resolves with what passed; rejects where there was no room. */
  readonly passed: Promise<string>;
  readonly meter: Transform;
}

describe('bodies that are under way', () => {
  let bodies: BodiesUnderWay;

  beforeEach(() => {
    const room = { bytesMax: 100, bytesPerTokenMax: 60 };
    bodies = new BodiesUnderWay({ large: room, small: room, door: room }, () => new Error('no room'));
  });

  function begin(token: string, room: 'large' | 'small' | 'door' = 'large'): Body {
    const response = new Response();
    const meter = bodies.meter({ token, room, response: response as unknown as ServerResponse });
    const passed = text(meter);
    passed.catch(() => undefined);
    return { response, passed, meter };
  }

  /** Sends a whole body that is not answered yet. */
  async function send(token: string, bytes: number, room: 'large' | 'small' | 'door' = 'large'): Promise<Body> {
    const body = begin(token, room);
    body.meter.end('x'.repeat(bytes));
    await body.passed;
    return body;
  }

  it('pass as they are, piece by piece', async () => {
    const { meter, passed } = begin('ada');
    for (const piece of ['a', 'b', 'c']) meter.write(piece);
    meter.end();
    expect(await passed).toBe('abc');
  });

  it('take room of their token, of all, and of their kind alone: the door takes none from operators', async () => {
    await send('ada', 60);
    await expect(send('ada', 1)).rejects.toThrow('no room');
    await send('ada', 60, 'small');
    await send('ada', 60, 'door');
    await send('shop', 40, 'door');
    await expect(send('eve', 1, 'door')).rejects.toThrow('no room');
    await send('bob', 40);
    await expect(send('eve', 1)).rejects.toThrow('no room');
    await send('eve', 40, 'small');
  });

  it('give it back once, when they have been answered or their sender has left', async () => {
    const { response } = await send('ada', 60);
    const broken = begin('ada');
    broken.meter.end('x');
    await expect(broken.passed).rejects.toThrow('no room');
    broken.response.close();
    response.close();
    response.emit('close');
    await send('ada', 60);
    await expect(send('ada', 1)).rejects.toThrow('no room');
    await send('bob', 40);
  });

  it('take none once their sender has left, for nobody would give it back', async () => {
    const late = begin('ada');
    late.response.close();
    late.meter.end('x');
    await expect(late.passed).rejects.toThrow('no room');
    await send('ada', 60);
  });
});
