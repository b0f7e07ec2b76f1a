import { compile } from './scripts/compile.js';

// Whichever way ava is started, it runs what stands in the checkout.
await compile();

export default {
  files: ['test/**/*.test.ts'],
  typescript: { rewritePaths: { 'test/': 'build/test/' }, compile: false },
  nodeArguments: ['--enable-source-maps'],
  require: ['./build/test/fixed-seed.js', './build/test/undeclared-errors.cjs'],
  workerThreads: false,
  concurrency: 2,
  timeout: '4m',
};
