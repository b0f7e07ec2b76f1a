import { cases } from './stream.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
