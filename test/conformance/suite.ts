/** What a suite is given: the options of `npm run conformance -- NAME`. */
export interface SuiteOptions {
  /** A corpus in place of the suite's own, with {@link results}. */
  readonly corpus?: string;
  /** What an API server's own code says of that corpus. */
  readonly results?: string;
  /** Print machine-readable lines. */
  readonly json: boolean;
  readonly print: (line: string) => void;
}

export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** A module `test/conformance/<name>/suite.ts`. */
export interface Suite {
  readonly run: (options: SuiteOptions) => Promise<SuiteResult>;
}
