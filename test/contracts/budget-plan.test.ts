import { cases } from './budget-plan.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
