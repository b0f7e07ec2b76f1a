import { cases } from './token-reserve.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
