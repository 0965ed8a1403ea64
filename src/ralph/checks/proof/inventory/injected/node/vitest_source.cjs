'use strict';
const CHUNK = /[\\/]vitest[\\/]dist[\\/].*\.js$/;
const MAKER = /(function createReporters\((\w+)[^)]*\) \{)/;

/** The source for a URL; in the part of vitest that makes reporters, ours is added. */
function withReporter(url, loaded) {
  if (!CHUNK.test(url) || !loaded.source) return loaded;
  const source = Buffer.from(loaded.source).toString();
  return MAKER.test(source) ? { ...loaded, source: source.replace(MAKER, "$1 $2 = globalThis[Symbol.for('ralph.inventory')]($2);") } : loaded;
}

module.exports = { withReporter };
