/**
 * A shop that is made up: what shops, tills and web shops send, and what goes wrong with it on the way, by dials. The
 * demo, the drills and the simulation all take their traffic from here. It is a tool: `start` never loads it.
 */
export { Chance } from './chance.js';
export { demoDials, drillDials, simulationDials } from './dials.js';
export type { Dials, ShopProgram } from './dials.js';
export { encode, eventsOf, nameOf, whatOf } from './event.js';
export type { CloudEvent, Content, Encoded, EventName, Sent, SetAside, Topic } from './event.js';
export { closedStore } from './event-writer.js';
export { marketSource } from './market-source.js';
export type { MapOf } from './market-source.js';
export { OtherClient } from './other-client.js';
export { isOthers, otherRequest, OtherSystems, otherSystems } from './others.js';
export type { OtherCall, OtherRequest, OtherTerms } from './others.js';
export { lastName, mailDomain } from './people.js';
export { heldPerActMax, Shop } from './shop.js';
