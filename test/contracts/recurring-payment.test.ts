import { cases } from './recurring-payment.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
