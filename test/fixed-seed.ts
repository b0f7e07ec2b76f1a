/** Loaded before every test file: random values are the same in every run. */
import fc from 'fast-check';

fc.configureGlobal({ seed: 20_260_601 });
