'use strict';
// Writes what a test runner did, one JSON list on a line. Nothing here may break the check that it watches.
const fs = require('fs');
const path = require('path');

const FOLDER = 'RALPH_INVENTORY';
const INSIDE = 'RALPH_INVENTORY_INSIDE';

/** Whether a test started this runner, which is then part of that test. */
function isNested() {
  return !process.env[FOLDER] || process.env[INSIDE] !== undefined;
}

/** Make every runner that this process starts from now on nested. */
function enterRunner() {
  process.env[INSIDE] = String(process.pid);
}

function append(file, lines) {
  try {
    fs.appendFileSync(file, lines.map((line) => JSON.stringify(line) + '\n').join(''));
  } catch {
    // A missing report is noticed elsewhere.
  }
}

/** One session of one runner. It writes only at its beginning and its end: tests may replace the file system. */
class Journal {
  constructor(runner) {
    this.file = path.join(process.env[FOLDER], `${runner}-${process.pid}.jsonl`);
    this.lines = [];
    enterRunner();
    append(this.file, [['begun', runner, process.cwd()]]);
  }

  test(file, names, outcome) {
    this.lines.push(['test', file || '', names.join('::'), outcome]);
  }

  collectionFailed() {
    this.lines.push(['collect']);
  }

  end() {
    append(this.file, [...this.lines, ['ended']]);
    delete process.env[INSIDE];
  }
}

module.exports = { Journal, enterRunner, isNested };
