// Ends the output of a test run with one plain line, the sum of all projects: `N passed, N failed`.

/** @implements {import('vitest/reporters').Reporter} */
export default class ClosingLineReporter {
  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<unknown>} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // A file that breaks before its first test has failed, though none of its tests has.
      if (!module.ok() && module.errors().length > 0) counts.failed++;
    }
    const left = counts.skipped + counts.pending;
    // After the other reporters' summaries.
    process.once('exit', () => {
      console.log(`${counts.passed} passed, ${counts.failed} failed${left === 0 ? '' : `, ${left} skipped`}`);
    });
  }
}
