import type { DeliveryEngine } from '../engine/delivery-engine.js';
import type { DeliveryEffect, DeliveryEvent } from '../engine/messages.js';
import type { DeliverySettings } from '../settings.js';
import type { Agenda } from './agenda.js';
import type { Chance } from './chance.js';
import type { FakeCoordination } from './fake-coordination.js';
import type { FakeDatabase } from './fake-database.js';
import type { FakePartner } from './fake-partner.js';
import type { FakeStore } from './fake-store.js';
import type { Trouble } from './trouble.js';

/** What all actors of one world share. */
export interface Surroundings {
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly trouble: Trouble;
  readonly store: FakeStore;
  readonly coordination: FakeCoordination;
  readonly database: FakeDatabase;
  readonly partner: FakePartner;
  readonly settings: DeliverySettings;
}

/** One process with its engine. */
export interface EngineProcess {
  readonly name: string;
  readonly isAlive: boolean;
  readonly engine: DeliveryEngine;
}

/** Told of what the engines do, in the order in which they do it. */
export interface Witness {
  turned(process: EngineProcess, events: readonly DeliveryEvent[], effects: readonly DeliveryEffect[]): void;
  /** A request was handed over; its answer, or the end of waiting for one, comes at `endsAt`. */
  sent(send: Extract<DeliveryEffect, { type: 'Send' }>, endsAt: number): void;
}
