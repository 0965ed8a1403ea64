'use strict';
// Jest takes no reporter from the environment, and a list of reporters would replace its own choice. So this watches
// the two functions that every run of it calls.
const { Journal, isNested } = require('./journal.cjs');

const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' };
const watched = new WeakMap();
let journal = null;

/** The same exports with some replaced, because they may be read-only. */
function replaced(exported, replacements) {
  if (!watched.has(exported)) {
    watched.set(exported, new Proxy(exported, { get: (target, key) => (key in replacements ? replacements[key] : target[key]) }));
  }
  return watched.get(exported);
}

function watchJestCore(exported) {
  if (typeof exported.runCLI !== 'function') return exported;
  const { runCLI } = exported;
  return replaced(exported, {
    __proto__: null,
    async runCLI(...args) {
      const result = await runCLI.apply(this, args);
      if (journal) journal.end();
      journal = null;
      return result;
    },
  });
}

function watchJestResults(exported) {
  const { addResult, makeEmptyAggregatedTestResult } = exported;
  if (typeof addResult !== 'function' || typeof makeEmptyAggregatedTestResult !== 'function') return exported;
  return replaced(exported, {
    __proto__: null,
    makeEmptyAggregatedTestResult(...args) {
      if (!journal && !isNested()) journal = new Journal('jest');
      return makeEmptyAggregatedTestResult.apply(this, args);
    },
    addResult(all, one) {
      if (journal) record(one);
      return addResult.apply(this, arguments);
    },
  });
}

function record(fileResult) {
  if (fileResult.testExecError && fileResult.testResults.length === 0) journal.collectionFailed();
  for (const test of fileResult.testResults) {
    const outcome = test.failing && test.status === 'passed' ? 'xfailed' : OUTCOMES[test.status] || 'failed';
    journal.test(fileResult.testFilePath, [...test.ancestorTitles, test.title], outcome);
  }
}

module.exports = { watchJestCore, watchJestResults };
