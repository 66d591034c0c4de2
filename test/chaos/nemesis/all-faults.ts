import { daemonFaults } from './daemon-faults.js';
import type { Fault } from './fault.js';
import { networkFaults } from './network-faults.js';
import { partnerFaults } from './partner-faults.js';
import { serverFaults } from './server-faults.js';

/** Everything that can be broken, what must come first first. */
export const allFaults: readonly Fault[] = [...partnerFaults, ...networkFaults, ...daemonFaults, ...serverFaults];

export const faultKinds: readonly string[] = allFaults.map(({ kind }) => kind);
