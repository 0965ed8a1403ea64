'use strict';
// Vitest takes no reporter from the environment, and one on its command line would replace those of its settings. So
// this adds one where vitest makes its list; a version that does it in another way is left as it is.
const fs = require('fs');
const Module = require('module');
const { pathToFileURL } = require('url');
const { Journal, isNested } = require('./journal.cjs');
const { withReporter } = require('./vitest_source.cjs');

const PROGRAM = /[\\/]vitest[\\/]vitest\.mjs$/;
const SUITE = 'suite';

function watchVitest(program) {
  if (!program || isNested() || !PROGRAM.test(realPath(program))) return;
  globalThis[Symbol.for('ralph.inventory')] = (reporters) => [...reporters, new Reporter()];
  if (Module.registerHooks) {
    Module.registerHooks({ load: (url, context, next) => withReporter(url, next(url, context)) });
  } else if (Module.register) {
    Module.register(pathToFileURL(require.resolve('./vitest_loader.mjs')));
  }
}

function realPath(program) {
  try {
    return fs.realpathSync(program);
  } catch {
    return program;
  }
}

/** Versions before 3 call the first of each pair, those from 4 on the second, 3 both. */
class Reporter {
  onPathsCollected() {
    this.begin();
  }

  onTestRunStart() {
    this.begin();
  }

  onFinished(files) {
    this.end(files || []);
  }

  onTestRunEnd(modules) {
    this.end(modules.map((module) => module.task));
  }

  begin() {
    if (!this.journal && !isNested()) this.journal = new Journal('vitest');
  }

  end(files) {
    if (!this.journal) return;
    for (const file of files) {
      if (file.result && file.result.state === 'fail' && file.tasks.length === 0) this.journal.collectionFailed();
      this.walk(file.filepath, [], file.tasks);
    }
    this.journal.end();
    this.journal = null;
  }

  walk(file, above, tasks) {
    for (const task of tasks) {
      if (task.type === SUITE) this.walk(file, [...above, task.name], task.tasks);
      else this.journal.test(file, [...above, task.name], outcomeOf(task));
    }
  }
}

function outcomeOf(task) {
  const state = task.result && task.result.state;
  if (state === 'pass') return task.fails ? 'xfailed' : 'passed';
  return state === 'fail' || task.mode === 'run' ? 'failed' : 'skipped';
}

module.exports = { watchVitest };
