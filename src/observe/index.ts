export { type Instrumented, instrument } from './instrument.js';
export type { InstrumentOptions } from './instrument-options.js';
