import { cases } from './vote-lock.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
