import { cases } from './vault.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
