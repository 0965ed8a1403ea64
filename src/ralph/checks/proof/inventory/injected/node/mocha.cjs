'use strict';
const { Journal, isNested } = require('./journal.cjs');

const OUTCOMES = { pass: 'passed', fail: 'failed', pending: 'skipped' };
const watched = new WeakSet();

/** What a module called `runner` exports, if it is mocha's: its events are the same with and without `--parallel`. */
function watchMocha(exported) {
  const Runner = exported && [exported, exported.Runner, exported.default].find(isRunner);
  if (Runner && !watched.has(Runner)) {
    watched.add(Runner);
    const { emit } = Runner.prototype;
    Runner.prototype.emit = function (event, runnable) {
      record(this, event, runnable);
      return emit.apply(this, arguments);
    };
  }
  return exported;
}

function isRunner(value) {
  return typeof value === 'function' && value.prototype && typeof value.prototype.runTests === 'function'
    && typeof value.prototype.runSuite === 'function';
}

const journals = new WeakMap();

function record(runner, event, runnable) {
  if (event === 'start' && !isNested()) journals.set(runner, new Journal('mocha'));
  const journal = journals.get(runner);
  if (!journal) return;
  if (event === 'end') {
    journals.delete(runner);
    journal.end();
  } else if (event in OUTCOMES) {
    recordOne(journal, runnable, OUTCOMES[event]);
  }
}

/** Record one outcome. A failed hook fails the test that it was for. */
function recordOne(journal, runnable, outcome) {
  const test = (runnable.type === 'hook' && runnable.ctx && runnable.ctx.currentTest) || runnable;
  const above = runnable.titlePath ? runnable.titlePath().slice(0, -1) : [];
  journal.test(test.file || runnable.file, [...above, test.title], outcome);
}

module.exports = { watchMocha };
