// A reporter of node's own test runner: it records, and prints what node's default reporter would have printed.
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import * as reporters from 'node:test/reporters';
import journals from './journal.cjs';

const SPEC_ONLY = 23;

export default async function* (source) {
  const events = journals.isNested() ? source : recorded(source, new journals.Journal('node'));
  if (namesReporters()) {
    for await (const _ of events);
  } else if (process.stdout.isTTY || Number.parseInt(process.versions.node, 10) >= SPEC_ONLY) {
    yield* Readable.from(events).pipe(new reporters.spec());
  } else {
    yield* reporters.tap(events);
  }
}

/** Whether the command names its own reporters, and so does not want the default one. */
function namesReporters() {
  const named = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s/)];
  return named.filter((option) => /^--test-reporter(=|$)/.test(option)).length > 1;
}

/** Record the events. A test comes after those inside it, so the starts show where each belongs. */
async function* recorded(source, journal) {
  const open = [];
  for await (const event of source) {
    const { nesting, name } = event.data;
    if (event.type === 'test:start') open.splice(nesting, Infinity, name);
    if (event.type === 'test:pass' || event.type === 'test:fail') record(journal, open.slice(0, nesting), event);
    yield event;
  }
  journal.end();
}

function record(journal, above, { type, data }) {
  if (data.details?.type === 'suite') return;
  if (isFile(data)) {
    if (type === 'test:fail') journal.collectionFailed();
    return;
  }
  journal.test(asPath(data.file), [...above, data.name], outcomeOf(type, data));
}

/** The path of a module, which Node 18 names by its URL. */
function asPath(file) {
  return file?.startsWith('file:') ? fileURLToPath(file) : file;
}

/** Whether a test is a file: node reports one if it has no tests, or could not be loaded. */
function isFile({ name, file: place, nesting }) {
  const file = asPath(place);
  return nesting === 0 && (name === file || (file !== undefined && path.resolve(name) === file));
}

function outcomeOf(type, { skip, todo, expectFailure }) {
  if (skip !== undefined && skip !== false) return 'skipped';
  const passed = type === 'test:pass';
  if (todo !== undefined && todo !== false) return passed ? 'passed' : 'xfailed';
  if (expectFailure !== undefined && expectFailure !== false) return passed ? 'xfailed' : 'failed';
  return passed ? 'passed' : 'failed';
}
