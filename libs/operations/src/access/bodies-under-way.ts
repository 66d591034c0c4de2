import type { ServerResponse } from 'node:http';
import { Transform } from 'node:stream';

/** How many bytes of bodies may be in memory, from when they arrive to when their requests have been answered. */
export interface BodyRoom {
  readonly bytesMax: number;
  /** So that one token never takes the room of all others. */
  readonly bytesPerTokenMax: number;
}

export interface BodyLimits {
  /** Of requests whose body may be large. */
  readonly large: BodyRoom;
  /** Of all others: a pause or a cancellation is taken also while large bodies fill their room. */
  readonly small: BodyRoom;
  /** Of events that are written at the door: a flood of them takes no room from operators. */
  readonly door: BodyRoom;
}

const mebibyte = 1024 * 1024;

/** A body takes several times its size while it is parsed. */
export const bodyLimits: BodyLimits = {
  large: { bytesMax: 16 * mebibyte, bytesPerTokenMax: 8 * mebibyte },
  small: { bytesMax: 4 * mebibyte, bytesPerTokenMax: mebibyte },
  door: { bytesMax: 32 * mebibyte, bytesPerTokenMax: 8 * mebibyte },
};

/** Whose body it is, and where the request is answered. */
interface Sender {
  /** Empty: it carries none. */
  readonly token: string;
  readonly room: keyof BodyLimits;
  readonly response: Pick<ServerResponse, 'once' | 'closed'>;
}

/** Bytes in one room, by token. */
class Taken {
  private bytes = 0;
  private readonly byToken = new Map<string, number>();

  constructor(private readonly room: BodyRoom) {}

  /** False: there is no room for them, and none was taken. */
  take(token: string, bytes: number): boolean {
    const ofToken = (this.byToken.get(token) ?? 0) + bytes;
    if (this.bytes + bytes > this.room.bytesMax || ofToken > this.room.bytesPerTokenMax) return false;
    this.bytes += bytes;
    this.byToken.set(token, ofToken);
    return true;
  }

  give(token: string, bytes: number): void {
    this.bytes -= bytes;
    const left = (this.byToken.get(token) ?? 0) - bytes;
    if (left > 0) this.byToken.set(token, left);
    else this.byToken.delete(token);
  }
}

/** Bodies of requests that are not answered yet. What is only announced takes nothing. */
export class BodiesUnderWay {
  private readonly rooms: Readonly<Record<keyof BodyLimits, Taken>>;

  constructor(
    limits: BodyLimits,
    /** What is wrong where there is no room. */
    private readonly full: () => Error,
  ) {
    this.rooms = {
      large: new Taken(limits.large),
      small: new Taken(limits.small),
      door: new Taken(limits.door),
    };
  }

  /** Counts a body as it passes, and breaks off where there is no room for it. */
  meter({ token, room: name, response }: Sender): Transform {
    const room = this.rooms[name];
    const { full } = this;
    let taken = 0;
    response.once('close', () => {
      room.give(token, taken);
      taken = 0;
    });
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        // Who has left is answered no more, and would never give it back.
        const isTaken = !response.closed && room.take(token, chunk.byteLength);
        if (isTaken) taken += chunk.byteLength;
        done(isTaken ? null : full(), chunk);
      },
    });
  }
}
