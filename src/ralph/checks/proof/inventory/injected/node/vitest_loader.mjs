import vitestSource from './vitest_source.cjs';

/** For versions of node without `registerHooks`: it runs in a thread of its own. */
export async function load(url, context, next) {
  return vitestSource.withReporter(url, await next(url, context));
}
