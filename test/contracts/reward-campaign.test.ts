import { cases } from './reward-campaign.cases.js';
import { declareTests } from './harness/declare-tests.js';

declareTests(cases);
