'use strict';
// Loaded before the program in every node of a trial. It checks modules as they are loaded, and does nothing until
// a test runner's module is loaded.
const { enterRunner, isNested } = require('./journal.cjs');

// Node's own runner starts a process for each file, some of them before our reporter is loaded.
if (process.env.NODE_TEST_CONTEXT) enterRunner();

if (!isNested() && require('worker_threads').isMainThread) {
  const Module = require('module');
  const { watchJestCore, watchJestResults } = require('./jest.cjs');
  const { watchMocha } = require('./mocha.cjs');

  const WATCHERS = { '@jest/core': watchJestCore, '@jest/test-result': watchJestResults };
  const MOCHA_RUNNER = /(^|[\\/])runner(\.js)?$/;
  const load = Module._load;

  Module._load = function (request) {
    const exported = load.apply(this, arguments);
    const watch = WATCHERS[request] || (MOCHA_RUNNER.test(request) && watchMocha);
    return watch ? watch(exported) : exported;
  };

  require('./vitest.cjs').watchVitest(process.argv[1]);
}
