export { ExponentialBackoff } from './rate-limiter.ts';
export type { ExponentialBackoffOptions, RateLimiter } from './rate-limiter.ts';
export { MaxOf, TokenBucket } from './token-bucket.ts';
export type { TokenBucketOptions } from './token-bucket.ts';
export { DrainTimeoutError, WorkQueue } from './work-queue.ts';
export type { AddOptions, DrainOptions, WorkQueueOptions } from './work-queue.ts';
